import type { Secrets } from '../../db/encryption/secrets.ts'
import type { DatabaseLimiter } from '../../http/reads/database-limiter.ts'
import type { Log } from '../../log.ts'

/** The tools of calls of runners, apart from the database. */
export interface ActionsTools {
  limiter: DatabaseLimiter
  log: Log
  /** Decrypts the secrets of jobs. */
  secrets: Secrets
  /** Where `uses: owner/name@version` is cloned from, without a trailing slash; undefined: from this server. */
  actionsUrl: string | undefined
  /** Maximum bytes of a task's log. */
  logLimit: number
  /** Maximum time of one job, in milliseconds. */
  longestJob: number
}
