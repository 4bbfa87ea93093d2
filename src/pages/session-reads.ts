import type { VersionSource } from '../db/version.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import { CoalescedReads } from '../http/reads/reads.ts'
import { ValidatedCache } from '../http/reads/validated-cache.ts'
import type { RequestContext } from '../http/route/route.ts'
import { sessionByHash, type WebSession } from './session-store.ts'

/** Approximate bytes of a session in memory. */
const sessionBytes = 1024

/**
 * Look-ups of sessions. Like those of accounts they are part of the database work that `QUEUE_LIMIT` and
 * `DATABASE_TIMEOUT` bound, and are reused until something is written: every page of a visitor begins with one, and
 * anybody can send a made-up cookie.
 */
export class SessionReads {
  readonly #reads: CoalescedReads<{ session: WebSession | undefined }>

  constructor(limiter: DatabaseLimiter, states: VersionSource) {
    this.#reads = new CoalescedReads(limiter, new ValidatedCache(states, () => sessionBytes))
  }

  /** The valid session with this hash. @throws Problem 503 from the limiter */
  async byHash(
    { sql, now, from }: Pick<RequestContext<unknown>, 'sql' | 'now' | 'from'>,
    hash: string,
  ): Promise<WebSession | undefined> {
    const client = () => from.network
    const run = async () => ({ session: await sessionByHash(sql, hash) })
    const { session } = await this.#reads.get({ key: hash, run, cacheable: true }, { client })
    return session && Date.parse(session.expires_at) > now.getTime() ? session : undefined
  }
}
