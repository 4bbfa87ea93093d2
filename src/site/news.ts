import * as v from 'valibot'
import { found } from '../http/route/problem.ts'
import { json, noBody } from '../http/route/sends.ts'
import { id, limit } from '../http/route/values.ts'
import { type ChangeContext, makeChange, refuseVersion, targetOf } from './change.ts'
import {
  insertPost,
  newestPosts,
  type PostCorrection,
  type PostFormat,
  postById,
  type StoredPost,
  updatePost,
} from './news-store.ts'
import { anyone, type Publishers, route } from './route.ts'
import { NewsChange, NewsDraft } from './site.option.ts'
import { NewsPost, NewsPostInFull } from './site.shape.ts'
import { removeEntry } from './trash.ts'

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

export const changeNews = (correctors: Publishers) =>
  route('PATCH /api/news/{id}', {
    extension: true,
    summary: 'Change a news post; its id and time stay',
    access: correctors,
    params: { id },
    body: NewsChange,
    invalid: 'title or content is required, and neither may be empty',
    fails: [404, 409],
    returns: json(200, NewsPostInFull),
    handler: ({ body, params, ...context }) => correctPost(context, params.id, body),
  })

export const deleteNews = (correctors: Publishers) =>
  route('DELETE /api/news/{id}', {
    summary: 'Remove a news post',
    access: correctors,
    params: { id },
    fails: [404],
    returns: noBody(204),
    handler: ({ params, ...context }) => removeEntry(context, 'news', params.id),
  })

export const publishPost = (
  context: ChangeContext,
  { title, content, format }: NewsDraft & { format?: PostFormat },
): Promise<NewsPost> =>
  makeChange(
    context,
    (sql, at) => insertPost(sql, { title, content, at, ...(format && { format }) }),
    (post) => ({ action: 'news.published', target: targetOf('news', post) }),
  )

/** @throws Problem 404 there is no such post, 409 it has another version */
export const correctPost = (
  context: ChangeContext,
  post: number,
  correction: PostCorrection,
): Promise<StoredPost> =>
  makeChange(
    context,
    async (sql, at) =>
      (await updatePost(sql, post, correction, at)) ?? refuseVersion('post', postById(sql, post)),
    (corrected) => ({ action: 'news.changed', target: targetOf('news', corrected) }),
  )
