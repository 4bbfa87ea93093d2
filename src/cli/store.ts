import type { Blobs } from '../blobs/blobs.ts'
import { StoreError } from '../blobs/store-error.ts'
import type { Sql } from '../db/sql.ts'
import { claimStore } from '../forge/packages/store-owner.ts'
import type { Log } from '../log.ts'
import { UsageError } from './command.ts'

/**
 * Reaches for the contents of packages at a start. Without them all but packages works, so a store that is away is waited
 * for; one that refuses us needs the operator.
 * @throws UsageError
 */
export async function checkStore(sql: Sql, blobs: Blobs, log: Log): Promise<void> {
  try {
    await blobs.check('read')
    await claimStore(sql, blobs)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.kind === 'denied') throw new UsageError(`${error.message}; ${storeAdvice}`)
    log.warn('the store of packages is away; the rest is served', { error: error.message })
  }
}

/** What an operator looks at when the store refuses us. */
export const storeAdvice =
  'see S3_URL, S3_REGION, S3_ACCESS_KEY_ID, the secret key, and the clock of this machine'
