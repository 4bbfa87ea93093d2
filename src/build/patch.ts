import { readFile } from 'node:fs/promises'
import type { Plugin } from './folder.ts'

/** Why, what stands in the package, and what stands in our bundle instead. */
export interface Mend {
  why: string
  from: string
  to: string
}

/**
 * A plugin that mends a library while it is bundled: `files` says what, by the ends of their paths. A release in which a
 * place is not found stops the build: look again then.
 */
export function mending(name: string, files: Readonly<Record<string, readonly Mend[]>>): Plugin {
  return {
    name,
    setup(build) {
      for (const [end, mends] of Object.entries(files))
        build.onLoad({ filter: endsWith(end) }, async ({ path }) => {
          const source = await readFile(path, 'utf8')
          const missing = mends.find(({ from }) => source.split(from).length !== 2)
          if (missing) return { errors: [{ text: `No place in ${path} for: ${missing.why}` }] }
          const contents = mends.reduce((text, { from, to }) => text.replace(from, () => to), source)
          return { contents, loader: 'js' }
        })
    },
  }
}

/** A path's end, whatever separates its parts on the machine that builds. */
function endsWith(path: string): RegExp {
  const parts = ['', ...path.split('/')].map((part) => part.replaceAll('.', '\\.'))
  return new RegExp(`${parts.join('[\\\\/]')}$`)
}
