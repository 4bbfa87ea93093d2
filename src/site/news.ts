import * as v from 'valibot'
import { batch } from '../db/batch.ts'
import { limitOf } from '../db/limit.ts'
import { allRows, anyRow, firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import { found } from '../http/route/problem.ts'
import { id, limit } from '../http/route/values.ts'
import { isoMoment } from '../units.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { NewsDraft, NewsPost } from './news.shape.ts'
import { anyone, type Publishers, route } from './route.ts'
import type { RowRange, Titled } from './titled.ts'

export const listNews = route('GET /api/news', {
  summary: 'News posts, newest first',
  access: anyone,
  query: { limit: limit(20, 100) },
  returns: [200, v.array(NewsPost)],
  shared: 'until written',
  handler: ({ query, sql }) => newestPosts(sql, query.limit),
})

export const createNews = (publishers: Publishers) =>
  route('POST /api/news', {
    summary: 'Publish a news post',
    access: publishers,
    body: NewsDraft,
    invalid: 'title and content are required',
    returns: [201, NewsPost],
    handler: ({ body, ...context }) => publishPost(context, body),
  })

export const deleteNews = (publishers: Publishers) =>
  route('DELETE /api/news/{id}', {
    summary: 'Remove a news post',
    access: publishers,
    params: { id },
    fails: [404],
    returns: [204],
    handler: ({ params, ...context }) => removePost(context, params.id),
  })

const target = ({ id, title }: Pick<NewsPost, 'id' | 'title'>) => ({ kind: 'news', id, name: title })

export const publishPost = (context: ChangeContext, { title, content }: NewsDraft): Promise<NewsPost> =>
  makeChange(
    context,
    (sql, at) => insertPost(sql, { title, content, at }),
    (post) => ({ action: 'news.published', target: target(post) }),
  )

/** @throws Problem 404 */
export async function removePost(context: ChangeContext, post: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await deletePost(sql, post)),
    (removed) => ({ action: 'news.removed', target: target(removed) }),
  )
}

/** Up to `count` posts, newest first; posts of the same time in descending order of id. */
const newestPosts = (sql: Sql, count: number) =>
  allRows(sql<NewsPost[]>`
    select id, title, content, created_at
    from site.news_post
    order by created_at desc, id desc
    ${limitOf(sql, count)}`)

/** The titles of posts, newest first, for those who remove them. */
export const titlesOfPosts = (sql: Sql, { first, count }: RowRange) =>
  allRows(sql<Titled[]>`
    select id, left(title, 500) as title, created_at
    from site.news_post
    order by created_at desc, id desc
    ${limitOf(sql, count)} offset ${first}`)

/** A post with the ids of the next newer and the next older one; null: it is the newest, the oldest. */
export const postWithNeighbours = (sql: Sql, post: number) =>
  firstRow(sql<(NewsPost & { newer: number | null; older: number | null })[]>`
    select id, title, content, created_at,
      (
        select newer.id
        from site.news_post as newer
        where (newer.created_at, newer.id) > (shown.created_at, shown.id)
        order by newer.created_at, newer.id
        limit 1
      ) as newer,
      (
        select older.id
        from site.news_post as older
        where (older.created_at, older.id) < (shown.created_at, shown.id)
        order by older.created_at desc, older.id desc
        limit 1
      ) as older
    from site.news_post as shown
    where id = ${post}`)

/** Publishes a post, in one statement with others that wait at the same time. */
export async function insertPost(sql: Sql, draft: NewsDraft & { at: Date }): Promise<NewsPost> {
  const { id } = await write(sql, draft)
  const { title, content, at } = draft
  return { id, title, content, created_at: isoMoment(at.getTime()) }
}

/** `unnest` reads arrays in order, so the ids are in the order of the drafts. */
const write = batch(
  async (sql: Sql, drafts: readonly (NewsDraft & { at: Date })[]) => {
    return await sql<{ id: number }[]>`
      insert into site.news_post (title, content, created_at)
      select
        unnest(${drafts.map((draft) => draft.title)}::text[]),
        unnest(${drafts.map((draft) => draft.content)}::text[]),
        to_timestamp(unnest(${drafts.map((draft) => draft.at.getTime())}::float8[]) / 1000)
      returning id`
  },
  ({ title, content }) => title.length + content.length,
)

/** Whether there is a post with this title and text. */
export const hasPost = (sql: Sql, { title, content }: NewsDraft) =>
  anyRow(sql`
    select from site.news_post
    where title = ${title} and content = ${content}
    limit 1`)

const deletePost = (sql: Sql, post: number) =>
  firstRow(sql<{ id: number; title: string }[]>`
    delete from site.news_post
    where id = ${post}
    returning id, title`)
