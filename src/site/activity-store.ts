import { allRows } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { ActivityEntry } from './site.shape.ts'

// No endpoint writes activity: operators do, by command (specification, section 2).

/** Up to `count` entries, newest first; entries of the same time in descending order of id. */
export const newestActivity = (sql: Sql, count: number) =>
  allRows(sql<ActivityEntry[]>`
    select id, description, created_at
    from site.activity_entry
    order by created_at desc, id desc
    limit ${count}`)

/** Inserts entries in the given order. */
export const insertActivity = (sql: Sql, descriptions: readonly string[], now: Date) =>
  allRows(sql<ActivityEntry[]>`
    insert into site.activity_entry (description, created_at)
    select description, ${now}
    from unnest(${[...descriptions]}::text[]) with ordinality as given (description, place)
    order by place
    returning id, description, created_at`)
