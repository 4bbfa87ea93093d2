import { allRows, anyRow, firstRow } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'

/** The only writer of `forge.review_comment`. `0078_pull_requests.sql` explains the columns. */

/** A comment on a line of a file. */
export interface StoredReviewComment {
  id: number
  review_id: number
  issue_id: number
  /** Null: the account has been deleted. */
  poster_id: number | null
  body: string
  path: string
  /** Counted from 1. */
  line: number
  /** Whether the line is one of the file before the change. */
  is_old: boolean
  commit_id: string
  /** The part of the difference, or of the file, that ends in the line; "": it is no text, or was stored before files were shown. */
  hunk: string
  is_outdated: boolean
  /** Null: the conversation is not resolved. */
  resolver_id: number | null
  created_at: string
  updated_at: string
}

const columns = (sql: Sql) => sql`
  comment.id, comment.review_id, comment.issue_id, comment.poster_id, comment.body, comment.path, comment.line,
  comment.is_old, comment.commit_id, comment.hunk, comment.is_outdated, comment.resolver_id, comment.created_at,
  comment.updated_at`

/** The comments of a review, by path and line. */
export const commentsOfReview = (sql: Sql, review: number) =>
  allRows(sql<StoredReviewComment[]>`
    select ${columns(sql)}
    from forge.review_comment as comment
    where comment.review_id = ${review}
    order by comment.path collate "C", comment.line, comment.id`)

/** The initial values of a comment. */
export type CommentDraft = Pick<
  StoredReviewComment,
  'review_id' | 'issue_id' | 'poster_id' | 'body' | 'path' | 'line' | 'is_old' | 'commit_id' | 'hunk'
>

/** Adds comments in their order; returns their ids. */
export async function insertReviewComments(tx: Tx, drafts: readonly CommentDraft[]): Promise<number[]> {
  const rows = await allRows(tx<{ id: number }[]>`
    insert into forge.review_comment
      (review_id, issue_id, poster_id, body, path, line, is_old, commit_id, hunk, created_at, updated_at)
    select review_id, issue_id, poster_id, body, path, line, is_old = 'true', commit_id, hunk, ${tx.now}, ${tx.now}
    from unnest(
      ${drafts.map(({ review_id }) => review_id)}::bigint[], ${drafts.map(({ issue_id }) => issue_id)}::bigint[],
      ${drafts.map(({ poster_id }) => poster_id)}::bigint[], ${drafts.map(({ body }) => body)}::text[],
      ${drafts.map(({ path }) => path)}::text[], ${drafts.map(({ line }) => line)}::integer[],
      ${drafts.map(({ is_old }) => String(is_old))}::text[], ${drafts.map(({ commit_id }) => commit_id)}::text[],
      ${drafts.map(({ hunk }) => hunk)}::text[]
    ) with ordinality as draft (review_id, issue_id, poster_id, body, path, line, is_old, commit_id, hunk, place)
    order by place
    returning id`)
  return rows.map(({ id }) => id)
}

/** A comment, and whether its review is a draft. */
export type SeenReviewComment = StoredReviewComment & { is_draft: boolean }

const seen = (sql: Sql, account: number | undefined) => sql`
    select ${columns(sql)}, review.state = 'pending' as is_draft
    from forge.review_comment as comment
    join forge.review on review.id = comment.review_id
    where (review.state <> 'pending' or review.reviewer_id = ${account ?? null})`

/** The first comments on lines of some files of a pull request, without drafts of others, by path, line and age. */
export const commentsOnFiles = (
  sql: Sql,
  { issue, account, paths }: { issue: number; account: number | undefined; paths: readonly string[] },
  limit: number,
) =>
  allRows(sql<SeenReviewComment[]>`
    ${seen(sql, account)} and comment.issue_id = ${issue} and comment.path = any(${[...paths]}::text[])
    order by comment.path collate "C", comment.line, comment.id
    limit ${limit}`)

/** The first comments of some reviews, without drafts of others, by path, line and age. */
export const commentsOfReviews = (
  sql: Sql,
  { account, reviews }: { account: number | undefined; reviews: readonly number[] },
  limit: number,
) =>
  allRows(sql<SeenReviewComment[]>`
    ${seen(sql, account)} and comment.review_id = any(${[...reviews]}::bigint[])
    order by comment.path collate "C", comment.line, comment.id
    limit ${limit}`)

/** The first paths of a pull request that have comments, without drafts of others. */
export const commentedPaths = (
  sql: Sql,
  { issue, account }: { issue: number; account: number | undefined },
  limit: number,
) =>
  allRows(sql<{ path: string }[]>`
    select distinct comment.path collate "C" as path
    from forge.review_comment as comment
    join forge.review on review.id = comment.review_id
    where comment.issue_id = ${issue} and (review.state <> 'pending' or review.reviewer_id = ${account ?? null})
    order by path
    limit ${limit}`)

/** A comment on a line of a pull request of a repository, with the number of the request and whether its review is a draft. */
export const reviewCommentById = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<(StoredReviewComment & { number: number; is_draft: boolean })[]>`
    select ${columns(sql)}, issue.number, review.state = 'pending' as is_draft
    from forge.review_comment as comment
    join forge.review on review.id = comment.review_id
    join forge.issue on issue.id = comment.issue_id
    where comment.id = ${id} and issue.repository_id = ${repository}`)

export async function updateReviewComment(tx: Tx, id: number, body: string): Promise<void> {
  await tx`
    update forge.review_comment
    set body = ${body}, updated_at = ${tx.now}
    where id = ${id}`
}

export const deleteReviewComment = (tx: Tx, id: number) =>
  anyRow(tx`
    delete from forge.review_comment
    where id = ${id}`)

/** Marks a conversation as resolved by an account; null: as not resolved. */
export async function resolveComment(tx: Tx, id: number, resolver: number | null): Promise<void> {
  await tx`
    update forge.review_comment
    set resolver_id = ${resolver}
    where id = ${id} and (resolver_id is null) <> ${resolver === null}`
}

/** A file with comments on its lines after the change. */
interface CommentedFile {
  path: string
  commit_id: string
  comments: { id: number; line: number }[]
}

/** The files with comments that are not outdated, at the commits that they are about; those with the newest ones first. */
export const commentedFiles = (sql: Sql, issue: number, limit: number) =>
  allRows(sql<CommentedFile[]>`
    select path, commit_id, json_agg(json_build_object('id', id, 'line', line) order by id) as comments
    from forge.review_comment
    where issue_id = ${issue} and not is_old and not is_outdated
    group by path, commit_id
    order by max(id) desc
    limit ${limit}`)

/** Marks comments as outdated: their lines are gone. */
export async function setOutdated(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx`
    update forge.review_comment
    set is_outdated = true
    where id = any(${[...ids]}::bigint[])`
}
