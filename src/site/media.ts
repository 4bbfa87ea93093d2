import * as v from 'valibot'
import { conflict, found } from '../http/route/problem.ts'
import { json, noBody } from '../http/route/sends.ts'
import { id, limit } from '../http/route/values.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { MediaDraft, MediaItem } from './media.shape.ts'
import {
  deleteRemovedItem,
  type ItemCorrection,
  insertItem,
  itemById,
  newestItems,
  removeItemRow,
  restoreItemRow,
  type StoredItem,
  updateItem,
} from './media-store.ts'
import { anyone, type Publishers, route } from './route.ts'

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

export const deleteMedia = (publishers: Publishers) =>
  route('DELETE /api/media/{id}', {
    summary: 'Remove a media item',
    access: publishers,
    params: { id },
    fails: [404],
    returns: noBody(204),
    handler: ({ params, ...context }) => removeItem(context, params.id),
  })

const target = ({ id, title }: Pick<MediaItem, 'id' | 'title'>) => ({ kind: 'media', id, name: title })

export const publishItem = (
  context: ChangeContext,
  { title, media_type, url, description }: MediaDraft & { description?: string },
): Promise<MediaItem> =>
  makeChange(
    context,
    (sql, at) => insertItem(sql, { title, media_type, url, at, ...(description && { description }) }),
    (item) => ({ action: 'media.published', target: target(item) }),
  )

/** @throws Problem 404 it is not there, 409 it has another version than the one that was corrected */
export const correctItem = (
  context: ChangeContext,
  item: number,
  correction: ItemCorrection,
): Promise<StoredItem> =>
  makeChange(
    context,
    async (sql, at) => {
      const corrected = await updateItem(sql, item, correction, at)
      if (corrected) return corrected
      found(await itemById(sql, item))
      throw conflict('the item has been changed meanwhile')
    },
    (corrected) => ({ action: 'media.changed', target: target(corrected) }),
  )

/** @throws Problem 404 */
export async function removeItem(context: ChangeContext, item: number): Promise<void> {
  await makeChange(
    context,
    async (sql, at) => found(await removeItemRow(sql, item, at)),
    (removed) => ({ action: 'media.removed', target: target(removed) }),
  )
}

/** Brings an item back from the trash. @throws Problem 404 */
export async function restoreItem(context: ChangeContext, item: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await restoreItemRow(sql, item)),
    (restored) => ({ action: 'media.restored', target: target(restored) }),
  )
}

/** Deletes an item in the trash for good. @throws Problem 404 */
export async function deleteItem(context: ChangeContext, item: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await deleteRemovedItem(sql, item)),
    (deleted) => ({ action: 'media.deleted', target: target(deleted) }),
  )
}
