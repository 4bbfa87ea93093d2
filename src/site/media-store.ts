import { isoMoment } from '../common/units.ts'
import { batch } from '../db/batch.ts'
import { limitOf } from '../db/limit.ts'
import { allRows, anyRow, firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { MediaDraft } from './site.option.ts'
import type { MediaItem } from './site.shape.ts'
import { type ListPart, partOf, type Titled } from './titled-store.ts'

/** A media item with the members that its editor uses. */
export interface StoredItem extends MediaItem {
  /** Text alternative; "" if there is none. */
  description: string
  /** The id of the uploaded picture; null: the address leads to another server. */
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

/** Items, newest first, with short texts; an address that is too long becomes "". */
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

/** An item to add; `picture`: the id of the uploaded picture. */
type ItemToInsert = MediaDraft & { description?: string; picture?: string; at: Date }

/** Adds an item, in one statement with others that wait at the same time. */
export async function insertItem(sql: Sql, draft: ItemToInsert): Promise<MediaItem> {
  const { id } = await write(sql, draft)
  const { title, media_type, url, at } = draft
  return { id, title, media_type, url, created_at: isoMoment(at.getTime()) }
}

/** `unnest` reads arrays in order, so the ids are in the order of the drafts. */
const write = batch(
  (sql: Sql, drafts: readonly ItemToInsert[]) =>
    allRows(sql<{ id: number }[]>`
      insert into site.media_item (title, media_type, url, description, picture, created_at)
      select
        unnest(${drafts.map((draft) => draft.title)}::text[]),
        unnest(${drafts.map((draft) => draft.media_type)}::text[]),
        unnest(${drafts.map((draft) => draft.url)}::text[]),
        unnest(${drafts.map((draft) => draft.description ?? '')}::text[]),
        unnest(${drafts.map((draft) => draft.picture ?? null)}::uuid[]),
        to_timestamp(unnest(${drafts.map((draft) => draft.at.getTime())}::float8[]) / 1000)
      returning id`),
  ({ title, url }) => title.length + url.length,
)

/** The new values of an item, and the version that its editor has seen. */
export interface ItemCorrection extends Pick<StoredItem, 'title' | 'url' | 'description' | 'version'> {}

/** Whether an item shows an uploaded picture. */
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
