import * as v from 'valibot'
import { json, noBody } from '../http/route/sends.ts'
import { id, limit } from '../http/route/values.ts'
import { type ChangeContext, makeChange, refuseVersion, targetOf } from './change.ts'
import {
  type ItemCorrection,
  insertItem,
  itemById,
  newestItems,
  type StoredItem,
  updateItem,
} from './media-store.ts'
import { anyone, type Publishers, route } from './route.ts'
import { MediaDraft } from './site.option.ts'
import { MediaItem } from './site.shape.ts'
import { removeEntry } from './trash.ts'

export const listMedia = route('GET /api/media', {
  summary: 'Media items, newest first',
  access: anyone,
  query: { limit: limit(24, 100) },
  returns: json(200, v.array(MediaItem)),
  shared: 'until written',
  handler: ({ query, sql }) => newestItems(sql, query.limit),
})

export const createMedia = (publishers: Publishers) =>
  route('POST /api/media', {
    summary: 'Add a media item',
    access: publishers,
    body: MediaDraft,
    invalid: 'title, url, and media_type (image|video) are required',
    returns: json(201, MediaItem),
    handler: ({ body, ...context }) => publishItem(context, body),
  })

export const deleteMedia = (correctors: Publishers) =>
  route('DELETE /api/media/{id}', {
    summary: 'Remove a media item',
    access: correctors,
    params: { id },
    fails: [404],
    returns: noBody(204),
    handler: ({ params, ...context }) => removeEntry(context, 'media', params.id),
  })

export const publishItem = (
  context: ChangeContext,
  { title, media_type, url, description }: MediaDraft & { description?: string },
): Promise<MediaItem> =>
  makeChange(
    context,
    (sql, at) => insertItem(sql, { title, media_type, url, at, ...(description && { description }) }),
    (item) => ({ action: 'media.published', target: targetOf('media', item) }),
  )

/** @throws Problem 404 there is no such item, 409 it has another version */
export const correctItem = (
  context: ChangeContext,
  item: number,
  correction: ItemCorrection,
): Promise<StoredItem> =>
  makeChange(
    context,
    async (sql, at) =>
      (await updateItem(sql, item, correction, at)) ?? refuseVersion('item', itemById(sql, item)),
    (corrected) => ({ action: 'media.changed', target: targetOf('media', corrected) }),
  )
