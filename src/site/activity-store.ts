import { allRows } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { ActivityEntry } from './site.shape.ts'

// No endpoint writes activity: operators use a command, administrators a page (specification, section 2).

/** Up to `count` entries, newest first; entries of the same time in descending order of id. */
export const newestActivity = (sql: Sql, count: number) =>
  allRows(sql<ActivityEntry[]>`
    select id, description, created_at
    from site.activity_entry
    order by created_at desc, id desc
    limit ${count}`)

/** Inserts entries in this order. */
export const insertActivity = (sql: Sql, descriptions: readonly string[], now: Date) =>
  allRows(sql<ActivityEntry[]>`
    insert into site.activity_entry (description, created_at)
    select description, ${now}
    from unnest(${[...descriptions]}::text[]) with ordinality as input (description, position)
    order by position
    returning id, description, created_at`)
