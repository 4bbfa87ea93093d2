import { isoMoment } from '../common/units.ts'
import { batch } from '../db/batch.ts'
import { limitOf } from '../db/limit.ts'
import { allRows, anyRow, firstRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { NewsDraft } from './site.option.ts'
import type { NewsPost } from './site.shape.ts'
import { type ListPart, partOf, type Titled } from './titled-store.ts'

/** How pages show the content of a post. */
export type PostFormat = 'plain' | 'markdown'

/** A post with the members that its editor uses. */
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

/** The titles of posts, newest first. */
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
  /** Whether the excerpt is the whole content. */
  is_whole: boolean
}

/** Posts, newest first, with at most `maxLength` characters of their content. */
export const beginningsOfPosts = (sql: Sql, part: ListPart, maxLength: number) =>
  allRows(sql<PostBeginning[]>`
    select id, left(title, 500) as title, left(content, ${maxLength}) as excerpt,
      length(content) <= ${maxLength} as is_whole, format, created_at, updated_at
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

/** A post with the ids of the next newer and the next older post; null: there is none. */
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
  (sql: Sql, drafts: readonly PostToInsert[]) =>
    allRows(sql<{ id: number }[]>`
      insert into site.news_post (title, content, format, created_at)
      select
        unnest(${drafts.map((draft) => draft.title)}::text[]),
        unnest(${drafts.map((draft) => draft.content)}::text[]),
        unnest(${drafts.map((draft) => draft.format ?? 'plain')}::text[]),
        to_timestamp(unnest(${drafts.map((draft) => draft.at.getTime())}::float8[]) / 1000)
      returning id`),
  ({ title, content }) => title.length + content.length,
)

/** The new values of a post; absent ones stay. `version`: the one that its editor has seen; absent: any. */
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

/** Whether there is a post with this title and content. */
export const hasPost = (sql: Sql, { title, content }: NewsDraft) =>
  anyRow(sql`
    select from site.news_post
    where title = ${title} and content = ${content}
    limit 1`)
