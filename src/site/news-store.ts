import { batch } from '../db/batch.ts'
import { limitOf } from '../db/limit.ts'
import { allRows, anyRow, firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import { isoMoment } from '../units.ts'
import type { NewsDraft, NewsPost } from './news.shape.ts'
import { type ListPart, partOf, type RemovedTitle, type Titled } from './titled-store.ts'

/** How pages show the content of a post. */
export type PostFormat = 'plain' | 'markdown'

/** A post with what its editor needs. */
export interface StoredPost extends NewsPost {
  format: PostFormat
  /** Null: never. */
  updated_at: string | null
  /** Counts changes. */
  version: number
}

/** Up to `count` posts, newest first; posts of the same time in descending order of id. */
export const newestPosts = (sql: Sql, count: number) =>
  allRows(sql<NewsPost[]>`
    select id, title, content, created_at
    from site.news_post
    order by created_at desc, id desc
    ${limitOf(sql, count)}`)

/** The titles of posts, newest first, for those who change them. */
export const titlesOfPosts = (sql: Sql, part: ListPart) =>
  allRows(sql<Titled[]>`
    select id, left(title, 500) as title, created_at
    from (
      select id, title, created_at
      from site.news_post
      ${partOf(sql, 'created_at', part)}
    ) as shown
    order by created_at desc, id desc`)

/** A post as lists show it. */
export interface PostBeginning
  extends Pick<StoredPost, 'id' | 'title' | 'format' | 'created_at' | 'updated_at'> {
  /** The first characters of its content. */
  excerpt: string
  /** Whether the content has no more of them. */
  is_whole: boolean
}

/** Posts, newest first, with at most `longest` characters of their content. */
export const beginningsOfPosts = (sql: Sql, part: ListPart, longest: number) =>
  allRows(sql<PostBeginning[]>`
    select id, left(title, 500) as title, left(content, ${longest}) as excerpt,
      length(content) <= ${longest} as is_whole, format, created_at, updated_at
    from (
      select id, title, content, format, created_at, updated_at
      from site.news_post
      ${partOf(sql, 'created_at', part)}
    ) as shown
    order by created_at desc, id desc`)

export const postById = (sql: Sql, post: number) =>
  firstRow(sql<StoredPost[]>`
    select id, title, content, created_at, format, updated_at, version
    from site.news_post
    where id = ${post}`)

/** A post with the ids of the next newer and the next older one; null: it is the newest, the oldest. */
export const postWithNeighbours = (sql: Sql, post: number) =>
  firstRow(sql<(StoredPost & { newer: number | null; older: number | null })[]>`
    select id, title, content, created_at, format, updated_at, version,
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

/** A post to publish; absent format: plain. */
type PostToInsert = NewsDraft & { format?: PostFormat; at: Date }

/** Publishes a post, in one statement with others that wait at the same time. */
export async function insertPost(sql: Sql, draft: PostToInsert): Promise<NewsPost> {
  const { id } = await write(sql, draft)
  const { title, content, at } = draft
  return { id, title, content, created_at: isoMoment(at.getTime()) }
}

/** `unnest` reads arrays in order, so the ids are in the order of the drafts. */
const write = batch(
  async (sql: Sql, drafts: readonly PostToInsert[]) => {
    return await sql<{ id: number }[]>`
      insert into site.news_post (title, content, format, created_at)
      select
        unnest(${drafts.map((draft) => draft.title)}::text[]),
        unnest(${drafts.map((draft) => draft.content)}::text[]),
        unnest(${drafts.map((draft) => draft.format ?? 'plain')}::text[]),
        to_timestamp(unnest(${drafts.map((draft) => draft.at.getTime())}::float8[]) / 1000)
      returning id`
  },
  ({ title, content }) => title.length + content.length,
)

/** What a correction sets; absent: it stays. `version`: the one that it was made from; absent: whichever there is. */
export interface PostCorrection {
  title?: string | undefined
  content?: string | undefined
  format?: PostFormat | undefined
  version?: number | undefined
}

/** Changes a post; undefined if there is none, or if it has another version. */
export const updatePost = (sql: Sql, post: number, correction: PostCorrection, at: Date) => {
  const { title = null, content = null, format = null, version = null } = correction
  return firstRow(sql<StoredPost[]>`
    update site.news_post
    set title = coalesce(${title}, title), content = coalesce(${content}, content),
      format = coalesce(${format}, format), version = version + 1, updated_at = ${at}
    where id = ${post} and version = coalesce(${version}::integer, version)
    returning id, title, content, created_at, format, updated_at, version`)
}

/** Whether there is a post with this title and text. */
export const hasPost = (sql: Sql, { title, content }: NewsDraft) =>
  anyRow(sql`
    select from site.news_post
    where title = ${title} and content = ${content}
    limit 1`)

/** Moves a post to the trash; undefined if there is none. */
export const removePostRow = (sql: Sql, post: number, at: Date) =>
  firstRow(sql<{ id: number; title: string }[]>`
    with removed as (
      delete from site.news_post
      where id = ${post}
      returning id, title, content, format, created_at, updated_at, version
    )
    insert into site.removed_post (id, title, content, format, created_at, updated_at, version, removed_at)
    select id, title, content, format, created_at, updated_at, version, ${at}::timestamptz
    from removed
    returning id, title`)

/** Moves a post from the trash back to where it was; undefined if it is not there. */
export const restorePostRow = (sql: Sql, post: number) =>
  firstRow(sql<{ id: number; title: string }[]>`
    with restored as (
      delete from site.removed_post
      where id = ${post}
      returning id, title, content, format, created_at, updated_at, version
    )
    insert into site.news_post (id, title, content, format, created_at, updated_at, version)
    overriding system value
    select id, title, content, format, created_at, updated_at, version
    from restored
    returning id, title`)

/** The posts in the trash, last removed first. */
export const removedPosts = (sql: Sql, part: ListPart) =>
  allRows(sql<RemovedTitle[]>`
    select id, left(title, 500) as title, created_at, removed_at
    from (
      select id, title, created_at, removed_at
      from site.removed_post
      ${partOf(sql, 'removed_at', part)}
    ) as shown
    order by removed_at desc, id desc`)

/** Deletes a post in the trash for good; undefined if it is not there. */
export const deleteRemovedPost = (sql: Sql, post: number) =>
  firstRow(sql<{ id: number; title: string }[]>`
    delete from site.removed_post
    where id = ${post}
    returning id, title`)

/** Deletes the posts that were removed before a time, at most `limit`; returns how many. */
export async function deletePostsRemovedBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const { count } = await sql`
    delete from site.removed_post
    where id in (
      select id
      from site.removed_post
      where removed_at < ${before}
      order by removed_at, id
      limit ${limit}
    )`
  return count
}
