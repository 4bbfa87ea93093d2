import * as v from 'valibot'
import { conflict, found } from '../http/route/problem.ts'
import { json, noBody } from '../http/route/sends.ts'
import { id, limit } from '../http/route/values.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { NewsChange, NewsDraft, NewsPost, NewsPostInFull } from './news.shape.ts'
import {
  deleteRemovedPost,
  insertPost,
  newestPosts,
  type PostCorrection,
  type PostFormat,
  postById,
  removePostRow,
  restorePostRow,
  type StoredPost,
  updatePost,
} from './news-store.ts'
import { anyone, type Publishers, route } from './route.ts'

export const listNews = route('GET /api/news', {
  summary: 'News posts, newest first',
  access: anyone,
  query: { limit: limit(20, 100) },
  returns: json(200, v.array(NewsPost)),
  shared: 'until written',
  handler: ({ query, sql }) => newestPosts(sql, query.limit),
})

export const createNews = (publishers: Publishers) =>
  route('POST /api/news', {
    summary: 'Publish a news post',
    access: publishers,
    body: NewsDraft,
    invalid: 'title and content are required',
    returns: json(201, NewsPost),
    handler: ({ body, ...context }) => publishPost(context, body),
  })

export const getNews = route('GET /api/news/{id}', {
  extension: true,
  summary: 'A news post',
  access: anyone,
  params: { id },
  fails: [404],
  returns: json(200, NewsPostInFull),
  shared: 'until written',
  handler: async ({ params, sql }) => found(await postById(sql, params.id)),
})

export const changeNews = (publishers: Publishers) =>
  route('PATCH /api/news/{id}', {
    extension: true,
    summary: 'Change a news post; its id and time stay',
    access: publishers,
    params: { id },
    body: NewsChange,
    invalid: 'title or content is required, and neither may be empty',
    fails: [404, 409],
    returns: json(200, NewsPostInFull),
    handler: ({ body, params, ...context }) => correctPost(context, params.id, body),
  })

export const deleteNews = (publishers: Publishers) =>
  route('DELETE /api/news/{id}', {
    summary: 'Remove a news post',
    access: publishers,
    params: { id },
    fails: [404],
    returns: noBody(204),
    handler: ({ params, ...context }) => removePost(context, params.id),
  })

const target = ({ id, title }: Pick<NewsPost, 'id' | 'title'>) => ({ kind: 'news', id, name: title })

export const publishPost = (
  context: ChangeContext,
  { title, content, format }: NewsDraft & { format?: PostFormat },
): Promise<NewsPost> =>
  makeChange(
    context,
    (sql, at) => insertPost(sql, { title, content, at, ...(format && { format }) }),
    (post) => ({ action: 'news.published', target: target(post) }),
  )

/** @throws Problem 404 it is not there, 409 it has another version than the one that was corrected */
export const correctPost = (
  context: ChangeContext,
  post: number,
  correction: PostCorrection,
): Promise<StoredPost> =>
  makeChange(
    context,
    async (sql, at) => {
      const corrected = await updatePost(sql, post, correction, at)
      if (corrected) return corrected
      found(await postById(sql, post))
      throw conflict('the post has been changed meanwhile')
    },
    (corrected) => ({ action: 'news.changed', target: target(corrected) }),
  )

/** @throws Problem 404 */
export async function removePost(context: ChangeContext, post: number): Promise<void> {
  await makeChange(
    context,
    async (sql, at) => found(await removePostRow(sql, post, at)),
    (removed) => ({ action: 'news.removed', target: target(removed) }),
  )
}

/** Brings a post back from the trash. @throws Problem 404 */
export async function restorePost(context: ChangeContext, post: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await restorePostRow(sql, post)),
    (restored) => ({ action: 'news.restored', target: target(restored) }),
  )
}

/** Deletes a post in the trash for good. @throws Problem 404 */
export async function deletePost(context: ChangeContext, post: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await deleteRemovedPost(sql, post)),
    (deleted) => ({ action: 'news.deleted', target: target(deleted) }),
  )
}
