import { randomUUID } from 'node:crypto'
import { onlyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** The id of this database for its store of contents; created at the first call. */
export async function identity(sql: Sql): Promise<string> {
  await sql`
    insert into forgehall.content_store (id) values (${randomUUID()})
    on conflict do nothing`
  const { id } = await onlyRow(sql<[{ id: string }]>`
    select id
    from forgehall.content_store`)
  return id
}

/** Makes a restored database another one than the first, which may still use its store. */
export async function forgetStore(sql: Sql): Promise<void> {
  await sql`delete from forgehall.content_store`
}
