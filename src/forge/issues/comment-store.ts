import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { attachmentsWithin, type StoredAttachment } from '../attachments/attachment-store.ts'
import { type TimeRange, within } from '../issue-events/event-store.ts'

/** A comment on an issue as it is stored. Timestamps are the texts that the connection pool returns. */
export interface StoredComment {
  id: number
  issue_id: number
  /** Number of the issue within its repository. */
  number: number
  /** Whether the issue is a pull request. */
  is_pull: boolean
  /** Null: the account was deleted. */
  poster_id: number | null
  body: string
  created_at: string
  updated_at: string
  assets: StoredAttachment[]
}

/** For `… from forge.issue_comment as comment join forge.issue on issue.id = comment.issue_id`. */
const commentColumns = (sql: Sql) => sql`
  comment.id, comment.issue_id, issue.number, issue.is_pull, comment.poster_id, comment.body, comment.created_at, comment.updated_at,
  ${attachmentsWithin(sql, 'comment', sql`comment.id`)} as assets`

/** A page of the comments on an issue, oldest first, that were last changed within a time range. */
export const pageOfComments = (sql: Sql, issue: number, range: TimeRange, paging: Paging) =>
  pageOf<StoredComment>(sql, paging, {
    from: sql`from forge.issue_comment where issue_id = ${issue} ${within(sql, range, sql`updated_at`)}`,
    keys: sql`id`,
    ...oldestFirst(sql),
  })

/** Like `pageOfComments`, for all issues of a repository. */
export const pageOfRepositoryComments = (sql: Sql, repository: number, range: TimeRange, paging: Paging) =>
  pageOf<StoredComment>(sql, paging, {
    from: sql`from forge.issue_comment where repository_id = ${repository} ${within(sql, range, sql`updated_at`)}`,
    keys: sql`id`,
    ...oldestFirst(sql),
  })

/** The rows and the order of a list of comments (`pageOf`). */
const oldestFirst = (sql: Sql) => ({
  rows: sql`
    select ${commentColumns(sql)}
    from page
    join forge.issue_comment as comment using (id)
    join forge.issue on issue.id = comment.issue_id`,
  by: sql`order by id`,
})

/** A comment of a repository by its id. */
export const commentById = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<StoredComment[]>`
    select ${commentColumns(sql)}
    from forge.issue_comment as comment
    join forge.issue on issue.id = comment.issue_id
    where comment.id = ${id} and issue.repository_id = ${repository}`)

/** Comments by their ids, in any order. */
export const commentsByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<StoredComment[]>`
    select ${commentColumns(sql)}
    from forge.issue_comment as comment
    join forge.issue on issue.id = comment.issue_id
    where comment.id = any(${[...ids]}::bigint[])`)

export const insertComment = (tx: Tx, draft: Pick<StoredComment, 'issue_id' | 'poster_id' | 'body'>) =>
  onlyRow(tx<[{ id: number }]>`
    insert into forge.issue_comment (issue_id, poster_id, body, created_at, updated_at)
    values (${draft.issue_id}, ${draft.poster_id}, ${draft.body}, ${tx.now}, ${tx.now})
    returning id`)

export async function updateComment(tx: Tx, id: number, body: string): Promise<void> {
  await tx`
    update forge.issue_comment
    set body = ${body}, updated_at = ${tx.now}
    where id = ${id}`
}

/** Undefined when the comment is already deleted. */
export const deleteComment = (tx: Tx, id: number) =>
  firstRow(tx<{ id: number }[]>`
    delete from forge.issue_comment
    where id = ${id}
    returning id`)

/** Deletes all comments of an account. Its issues stay. */
export async function deleteCommentsOf(tx: Tx, account: number): Promise<void> {
  await tx`
    delete from forge.issue_comment
    where poster_id = ${account}`
}
