import { randomUUID } from 'node:crypto'
import type { Blobs } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import type { Sql } from '../../db/sql.ts'

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

async function identity(sql: Sql): Promise<string> {
  await sql`
    insert into forgehall.content_store (id) values (${randomUUID()})
    on conflict do nothing`
  const [row] = await sql<[{ id: string }]>`
    select id
    from forgehall.content_store`
  return row.id
}

/** A restored database is another one: the first may still use its store. */
export async function forgetStore(sql: Sql): Promise<void> {
  await sql`delete from forgehall.content_store`
}
