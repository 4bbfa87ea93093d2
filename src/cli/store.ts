import type { Blobs } from '../blobs/blobs.ts'
import { StoreError } from '../blobs/store-error.ts'
import type { Sql } from '../db/sql.ts'
import { claimStore } from '../forge/blobs/store-owner.ts'
import type { Log } from '../log.ts'
import { UsageError } from './command.ts'

/**
 * Checks at startup that the store of package contents can be reached. Only packages need it, so the server starts while
 * the store is unavailable. Only an operator can correct a store that denies access.
 * @throws UsageError
 */
export async function checkStore(sql: Sql, blobs: Blobs, log: Log): Promise<void> {
  try {
    await blobs.check('read')
    await claimStore(sql, blobs)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.kind === 'denied') throw new UsageError(`${error.message}; ${storeAdvice}`)
    log.warn('the package store is unavailable; the server works without packages', { error: error.message })
  }
}

/** What an operator should check when the store denies access. */
export const storeAdvice =
  'check S3_URL, S3_REGION, S3_ACCESS_KEY_ID, the secret key, and the clock of this machine'
