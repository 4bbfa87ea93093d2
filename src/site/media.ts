import * as v from 'valibot'
import { batch } from '../db/batch.ts'
import type { Sql } from '../db/sql.ts'
import { found } from '../http/problem.ts'
import { id, limit } from '../http/values.ts'
import { MediaDraft, MediaItem } from './media.shape.ts'
import { anyone, route } from './route.ts'

const listMedia = route(
  'GET /api/media',
  {
    summary: 'Media items, newest first',
    access: anyone,
    query: { limit: limit(24, 100) },
    returns: [200, v.array(MediaItem)],
    shared: true,
  },
  ({ query, sql }) => newestItems(sql, query.limit),
)

const createMedia = route(
  'POST /api/media',
  {
    summary: 'Add a media item',
    access: anyone,
    body: MediaDraft,
    invalid: 'title, url, and media_type (image|video) are required',
    returns: [201, MediaItem],
  },
  ({ body, now, sql }) => insertItem(sql, { ...body, at: now }),
)

const deleteMedia = route(
  'DELETE /api/media/{id}',
  { summary: 'Remove a media item', access: anyone, params: { id }, fails: [404], returns: [204] },
  async ({ params, sql }) => {
    found(await deleteItem(sql, params.id))
  },
)

export const mediaRoutes = [listMedia, createMedia, deleteMedia]

/** Up to `count` items; of equal moments the later id is the newer one. */
async function newestItems(sql: Sql, count: number): Promise<MediaItem[]> {
  return await sql<MediaItem[]>`
    select id, title, media_type, url, created_at
    from site.media_item
    order by created_at desc, id desc
    limit ${count}`
}

/** Adds an item, together with those that wait at the same time. */
export const insertItem = batch(async (sql: Sql, drafts: readonly (MediaDraft & { at: Date })[]) => {
  return await sql<MediaItem[]>`
    insert into site.media_item (title, media_type, url, created_at)
    select title, media_type, url, created_at
    from unnest(
      ${drafts.map((draft) => draft.title)}::text[],
      ${drafts.map((draft) => draft.media_type)}::text[],
      ${drafts.map((draft) => draft.url)}::text[],
      ${drafts.map((draft) => draft.at.toISOString())}::timestamptz[]
    ) with ordinality as draft (title, media_type, url, created_at, place)
    order by place
    returning id, title, media_type, url, created_at`
})

async function deleteItem(sql: Sql, item: number): Promise<{ id: number } | undefined> {
  const [deleted] = await sql<{ id: number }[]>`
    delete from site.media_item
    where id = ${item}
    returning id`
  return deleted
}
