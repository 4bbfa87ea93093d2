import * as v from 'valibot'
import { batch } from '../db/batch.ts'
import { limitOf } from '../db/limit.ts'
import { allRows, firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import { found } from '../http/route/problem.ts'
import { id, limit } from '../http/route/values.ts'
import { isoMoment } from '../units.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { MediaDraft, MediaItem } from './media.shape.ts'
import { anyone, type Publishers, route } from './route.ts'
import type { RowRange, Titled } from './titled.ts'

export const listMedia = route('GET /api/media', {
  summary: 'Media items, newest first',
  access: anyone,
  query: { limit: limit(24, 100) },
  returns: [200, v.array(MediaItem)],
  shared: 'until written',
  handler: ({ query, sql }) => newestItems(sql, query.limit),
})

export const createMedia = (publishers: Publishers) =>
  route('POST /api/media', {
    summary: 'Add a media item',
    access: publishers,
    body: MediaDraft,
    invalid: 'title, url, and media_type (image|video) are required',
    returns: [201, MediaItem],
    handler: ({ body, ...context }) => publishItem(context, body),
  })

export const deleteMedia = (publishers: Publishers) =>
  route('DELETE /api/media/{id}', {
    summary: 'Remove a media item',
    access: publishers,
    params: { id },
    fails: [404],
    returns: [204],
    handler: ({ params, ...context }) => removeItem(context, params.id),
  })

const target = ({ id, title }: Pick<MediaItem, 'id' | 'title'>) => ({ kind: 'media', id, name: title })

export const publishItem = (
  context: ChangeContext,
  { title, media_type, url }: MediaDraft,
): Promise<MediaItem> =>
  makeChange(
    context,
    (sql, at) => insertItem(sql, { title, media_type, url, at }),
    (item) => ({ action: 'media.published', target: target(item) }),
  )

/** @throws Problem 404 */
export async function removeItem(context: ChangeContext, item: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await deleteItem(sql, item)),
    (removed) => ({ action: 'media.removed', target: target(removed) }),
  )
}

/** Up to `count` items, newest first; items of the same time in descending order of id. */
const newestItems = (sql: Sql, count: number) =>
  allRows(sql<MediaItem[]>`
    select id, title, media_type, url, created_at
    from site.media_item
    order by created_at desc, id desc
    ${limitOf(sql, count)}`)

/** The titles of items, newest first, for those who remove them. */
export const titlesOfItems = (sql: Sql, { first, count }: RowRange) =>
  allRows(sql<Titled[]>`
    select id, left(title, 500) as title, created_at
    from site.media_item
    order by created_at desc, id desc
    ${limitOf(sql, count)} offset ${first}`)

/** Adds an item, in one statement with others that wait at the same time. */
export async function insertItem(sql: Sql, draft: MediaDraft & { at: Date }): Promise<MediaItem> {
  const { id } = await write(sql, draft)
  const { title, media_type, url, at } = draft
  return { id, title, media_type, url, created_at: isoMoment(at.getTime()) }
}

/** `unnest` reads arrays in order, so the ids are in the order of the drafts. */
const write = batch(
  async (sql: Sql, drafts: readonly (MediaDraft & { at: Date })[]) => {
    return await sql<{ id: number }[]>`
      insert into site.media_item (title, media_type, url, created_at)
      select
        unnest(${drafts.map((draft) => draft.title)}::text[]),
        unnest(${drafts.map((draft) => draft.media_type)}::text[]),
        unnest(${drafts.map((draft) => draft.url)}::text[]),
        to_timestamp(unnest(${drafts.map((draft) => draft.at.getTime())}::float8[]) / 1000)
      returning id`
  },
  ({ title, url }) => title.length + url.length,
)

const deleteItem = (sql: Sql, item: number) =>
  firstRow(sql<{ id: number; title: string }[]>`
    delete from site.media_item
    where id = ${item}
    returning id, title`)
