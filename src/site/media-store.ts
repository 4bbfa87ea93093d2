import { batch } from '../db/batch.ts'
import { limitOf } from '../db/limit.ts'
import { allRows, anyRow, firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import { isoMoment } from '../units.ts'
import type { MediaDraft, MediaItem } from './media.shape.ts'
import { type ListPart, partOf, type RemovedTitle, type Titled } from './titled-store.ts'

/** A media item with what its editor needs. */
export interface StoredItem extends MediaItem {
  /** For those who do not see it; "" if there is none. */
  description: string
  /** The id of the picture that was sent; null: the address is somebody else's. */
  picture: string | null
  /** Counts changes. */
  version: number
}

/** Up to `count` items, newest first; items of the same time in descending order of id. */
export const newestItems = (sql: Sql, count: number) =>
  allRows(sql<MediaItem[]>`
    select id, title, media_type, url, created_at
    from site.media_item
    order by created_at desc, id desc
    ${limitOf(sql, count)}`)

/** Items by title, newest first; longer texts are cut, a longer address is left out. */
export const titlesOfItems = (sql: Sql, part: ListPart) =>
  allRows(sql<(Titled & Pick<StoredItem, 'media_type' | 'url' | 'description' | 'picture'>)[]>`
    select id, left(title, 500) as title, created_at, media_type, left(description, 500) as description, picture,
      case when length(url) <= 2000 then url else '' end as url
    from (
      select id, title, created_at, media_type, description, picture, url
      from site.media_item
      ${partOf(sql, 'created_at', part)}
    ) as shown
    order by created_at desc, id desc`)

export const itemById = (sql: Sql, item: number) =>
  firstRow(sql<StoredItem[]>`
    select id, title, media_type, url, created_at, description, picture, version
    from site.media_item
    where id = ${item}`)

/** An item to add; `picture`: the id of the one that was sent, in place of an address. */
type ItemToInsert = MediaDraft & { description?: string; picture?: string; at: Date }

/** Adds an item, in one statement with others that wait at the same time. */
export async function insertItem(sql: Sql, draft: ItemToInsert): Promise<MediaItem> {
  const { id } = await write(sql, draft)
  const { title, media_type, url, at } = draft
  return { id, title, media_type, url, created_at: isoMoment(at.getTime()) }
}

/** `unnest` reads arrays in order, so the ids are in the order of the drafts. */
const write = batch(
  async (sql: Sql, drafts: readonly ItemToInsert[]) => {
    return await sql<{ id: number }[]>`
      insert into site.media_item (title, media_type, url, description, picture, created_at)
      select
        unnest(${drafts.map((draft) => draft.title)}::text[]),
        unnest(${drafts.map((draft) => draft.media_type)}::text[]),
        unnest(${drafts.map((draft) => draft.url)}::text[]),
        unnest(${drafts.map((draft) => draft.description ?? '')}::text[]),
        unnest(${drafts.map((draft) => draft.picture ?? null)}::uuid[]),
        to_timestamp(unnest(${drafts.map((draft) => draft.at.getTime())}::float8[]) / 1000)
      returning id`
  },
  ({ title, url }) => title.length + url.length,
)

/** What a correction sets, and the version that it was made from. */
export interface ItemCorrection extends Pick<StoredItem, 'title' | 'url' | 'description' | 'version'> {}

/** Whether the site shows a picture that was sent. */
export const showsPicture = (sql: Sql, picture: string) =>
  anyRow(sql`
    select from site.media_item
    where picture = ${picture}::uuid
    limit 1`)

/** Changes an item; undefined if there is none, or if it has another version. */
export const updateItem = (
  sql: Sql,
  item: number,
  { title, url, description, version }: ItemCorrection,
  at: Date,
) =>
  firstRow(sql<StoredItem[]>`
    update site.media_item
    set title = ${title}, url = ${url}, description = ${description}, version = version + 1, updated_at = ${at}
    where id = ${item} and version = ${version}
    returning id, title, media_type, url, created_at, description, picture, version`)

/** Moves an item to the trash; undefined if there is none. */
export const removeItemRow = (sql: Sql, item: number, at: Date) =>
  firstRow(sql<{ id: number; title: string }[]>`
    with removed as (
      delete from site.media_item
      where id = ${item}
      returning id, title, media_type, url, description, picture, created_at, updated_at, version
    )
    insert into site.removed_item
      (id, title, media_type, url, description, picture, created_at, updated_at, version, removed_at)
    select id, title, media_type, url, description, picture, created_at, updated_at, version, ${at}::timestamptz
    from removed
    returning id, title`)

/** Moves an item from the trash back to where it was; undefined if it is not there. */
export const restoreItemRow = (sql: Sql, item: number) =>
  firstRow(sql<{ id: number; title: string }[]>`
    with restored as (
      delete from site.removed_item
      where id = ${item}
      returning id, title, media_type, url, description, picture, created_at, updated_at, version
    )
    insert into site.media_item (id, title, media_type, url, description, picture, created_at, updated_at, version)
    overriding system value
    select id, title, media_type, url, description, picture, created_at, updated_at, version
    from restored
    returning id, title`)

/** The items in the trash, last removed first. */
export const removedItems = (sql: Sql, part: ListPart) =>
  allRows(sql<RemovedTitle[]>`
    select id, left(title, 500) as title, created_at, removed_at
    from (
      select id, title, created_at, removed_at
      from site.removed_item
      ${partOf(sql, 'removed_at', part)}
    ) as shown
    order by removed_at desc, id desc`)

/** Deletes an item in the trash for good; undefined if it is not there. */
export const deleteRemovedItem = (sql: Sql, item: number) =>
  firstRow(sql<{ id: number; title: string }[]>`
    delete from site.removed_item
    where id = ${item}
    returning id, title`)

/** Deletes the items that were removed before a time, at most `limit`; returns how many. */
export async function deleteItemsRemovedBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const { count } = await sql`
    delete from site.removed_item
    where id in (
      select id
      from site.removed_item
      where removed_at < ${before}
      order by removed_at, id
      limit ${limit}
    )`
  return count
}
