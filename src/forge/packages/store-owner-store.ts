import { randomUUID } from 'node:crypto'
import type { Sql } from '../../db/sql.ts'

/** The identity of this database towards its store of contents; it is made when it is first asked for. */
export async function identity(sql: Sql): Promise<string> {
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
