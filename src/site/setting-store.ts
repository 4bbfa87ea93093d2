import { firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'

/** The name of the site; undefined: the default. */
export const storedName = (sql: Sql) =>
  firstRow(sql<{ value: string }[]>`
    select value
    from site.setting
    where key = 'name'`)

export async function upsertName(sql: Sql, name: string): Promise<void> {
  await sql`
    insert into site.setting (key, value)
    values ('name', ${name})
    on conflict on constraint setting_pkey do update set value = excluded.value`
}

export async function deleteName(sql: Sql): Promise<void> {
  await sql`
    delete from site.setting
    where key = 'name'`
}
