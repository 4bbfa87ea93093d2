import { allRows, firstRow, rowCount } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import { type ListPart, partOf, type Titled } from './titled-store.ts'

/** News posts or media items. */
export type EntryKind = 'news' | 'media'

/** A post or an item in the trash. */
export interface RemovedTitle extends Titled {
  removed_at: string
}

/** The table of an entry, its table in the trash, and the columns of both. */
const tablesOf = (sql: Sql, kind: EntryKind) =>
  kind === 'news'
    ? {
        published: sql`site.news_post`,
        removed: sql`site.removed_post`,
        columns: sql`id, title, content, format, created_at, updated_at, version`,
      }
    : {
        published: sql`site.media_item`,
        removed: sql`site.removed_item`,
        columns: sql`id, title, media_type, url, description, picture, created_at, updated_at, version`,
      }

/** Moves an entry to the trash; undefined if there is none. */
export function moveToTrash(sql: Sql, kind: EntryKind, id: number, at: Date) {
  const { published, removed, columns } = tablesOf(sql, kind)
  return firstRow(sql<Titled[]>`
    with taken as (
      delete from ${published}
      where id = ${id}
      returning ${columns}
    )
    insert into ${removed} (${columns}, removed_at)
    select ${columns}, ${at}::timestamptz
    from taken
    returning id, title, created_at`)
}

/** Moves an entry from the trash back to its list, with its former id; undefined if it is not in the trash. */
export function moveFromTrash(sql: Sql, kind: EntryKind, id: number) {
  const { published, removed, columns } = tablesOf(sql, kind)
  return firstRow(sql<Titled[]>`
    with taken as (
      delete from ${removed}
      where id = ${id}
      returning ${columns}
    )
    insert into ${published} (${columns})
    overriding system value
    select ${columns}
    from taken
    returning id, title, created_at`)
}

/** Entries in the trash, last removed first. */
export const removedTitles = (sql: Sql, kind: EntryKind, part: ListPart) =>
  allRows(sql<RemovedTitle[]>`
    select id, left(title, 500) as title, created_at, removed_at
    from (
      select id, title, created_at, removed_at
      from ${tablesOf(sql, kind).removed}
      ${partOf(sql, 'removed_at', part)}
    ) as shown
    order by removed_at desc, id desc`)

/** Deletes an entry in the trash permanently; undefined if it is not in the trash. */
export const deleteRemoved = (sql: Sql, kind: EntryKind, id: number) =>
  firstRow(sql<Titled[]>`
    delete from ${tablesOf(sql, kind).removed}
    where id = ${id}
    returning id, title, created_at`)

/** Deletes at most `limit` entries that were removed before a moment; returns how many. */
export function deleteRemovedBefore(sql: Sql, kind: EntryKind, before: Date, limit: number): Promise<number> {
  const { removed } = tablesOf(sql, kind)
  return rowCount(sql`
    delete from ${removed}
    where id in (
      select id
      from ${removed}
      where removed_at < ${before}
      order by removed_at, id
      limit ${limit}
    )`)
}
