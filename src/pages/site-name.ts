import type { Pool } from '../db/sql.ts'
import type { DatabaseVersion, VersionSource } from '../db/version.ts'
import { RequestCoalescer } from '../http/reads/coalescer.ts'
import { ValidatedCache } from '../http/reads/validated-cache.ts'
import type { Route } from '../http/route/route.ts'
import { nameOf } from '../site/name.ts'
import { defaultName } from '../site/site.shape.ts'
import { html } from './html.ts'

/**
 * Stands for the name of the site in what a handler makes. No text of a user can be this element: `html` escapes texts,
 * and the renderer keeps only elements that it knows.
 */
export const siteNameMark = html`<site-name>`

/** The name of the site, as this process has read it last. */
export class SiteName {
  readonly #pool: Pool
  readonly #cache: ValidatedCache<{ name: string }>
  /** One read at a time: none replaces the result of a later one. */
  readonly #reads = new RequestCoalescer<{ name: string }>()
  #known = defaultName

  constructor(pool: Pool, states: VersionSource) {
    this.#pool = pool
    this.#cache = new ValidatedCache(states, ({ name }) => 100 + 2 * name.length)
  }

  /** Reads the name again if something has been written since; `observed` is a version of the database, if known. */
  async refresh(observed: DatabaseVersion | undefined): Promise<void> {
    const read = async () => ({ name: await nameOf(this.#pool) })
    if (this.#cache.getIfFresh('', observed)) return
    await this.#reads.join('', async () => {
      const latest = await this.#cache.get('', read, observed)
      this.#known = latest.name
      return latest
    })
  }

  /** A document with the name in place of the mark. */
  writeInto(document: string): string {
    const { text } = html`${this.#known}`
    return document.replaceAll(siteNameMark.text, () => text)
  }
}

/** The same operation; the name is read beside what it does, so that it is known when its answer is written. */
export const withSiteName = <Tools>(route: Route<Tools>, siteName: SiteName): Route<Tools> => {
  const { access, handler } = route.steps
  return {
    ...route,
    steps: {
      ...route.steps,
      handler: async (context) => {
        const refreshed = siteName.refresh(access.observedVersion?.(context.caller))
        const [result] = await Promise.allSettled([handler(context), refreshed])
        if (result.status === 'rejected') throw result.reason
        return result.value
      },
    },
  }
}
