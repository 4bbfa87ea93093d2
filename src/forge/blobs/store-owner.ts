import type { Blobs } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import type { Sql } from '../../db/sql.ts'
import { identity } from './store-owner-store.ts'

/**
 * Ensures that the store of contents is that of this database: it takes one that belongs to nobody. Without this, the
 * clean-ups of two databases would remove each other's contents.
 * @throws StoreError
 */
export async function claimStore(sql: Sql, blobs: Blobs): Promise<void> {
  if (!blobs.claim) return
  const id = await identity(sql)
  if ((await blobs.claim(id)) !== id)
    throw new StoreError(
      'denied',
      'the S3 store belongs to another database: give each a bucket or path of its own',
    )
}
