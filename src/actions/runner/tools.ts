import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Limiter } from '../../http/reads/limiter.ts'
import type { Log } from '../../log.ts'

/** What the calls of runners share beside the database. */
export interface ActionsTools {
  gate: Limiter
  log: Log
  /** Opens the secrets that jobs are given. */
  secrets: Secrets
  /** Where `uses: owner/name@version` is cloned from, without a slash at its end; undefined: from this server. */
  actionsUrl: string | undefined
  /** Bytes of a task's log that are kept. */
  logLimit: number
}
