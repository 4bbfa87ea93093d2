import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'

/** The target of a reaction: id of an issue or of a comment. */
export type Subject = { issue: number } | { comment: number }

/** A reaction as it is stored. */
export interface StoredReaction {
  id: number
  account_id: number
  /** One of `REACTIONS`. */
  content: string
  created_at: string
}

const ofSubject = (sql: Sql, subject: Subject): Fragment =>
  'issue' in subject ? sql`issue_id = ${subject.issue}` : sql`comment_id = ${subject.comment}`

/** A page of the reactions to a subject, oldest first. */
export const pageOfReactions = (sql: Sql, subject: Subject, paging: Paging) =>
  pageOf<StoredReaction>(sql, paging, {
    from: sql`from forge.reaction where ${ofSubject(sql, subject)}`,
    columns: sql`id, account_id, content, created_at`,
    by: sql`order by id`,
  })

/**
 * The number of each reaction to an issue (`comment` is null) and to these of its comments, and whether one of them is of
 * this account.
 */
export const countReactions = (
  sql: Sql,
  { issue, comments, account }: { issue: number; comments: readonly number[]; account: number | undefined },
) =>
  allRows(sql<{ comment: number | null; content: string; count: number; is_own: boolean }[]>`
    select comment_id as comment, content, count(*) as count, bool_or(account_id = ${account ?? 0}) as is_own
    from forge.reaction
    where issue_id = ${issue}
    group by comment_id, content
    union all
    select comment_id, content, count(*), bool_or(account_id = ${account ?? 0})
    from forge.reaction
    where comment_id = any(${[...comments]}::bigint[])
    group by comment_id, content
    order by comment, content`)

/** Whether only those who may write to the issues can react to it. */
export const isOfLockedIssue = (sql: Sql, subject: Subject) =>
  anyRow(sql`
    select from forge.issue
    where is_locked and ${
      'issue' in subject
        ? sql`id = ${subject.issue}`
        : sql`id = (select issue_id from forge.issue_comment where id = ${subject.comment})`
    }`)

/**
 * Adds a reaction and returns it with `is_new`; if the account already has this reaction, that row stays. A deleted issue,
 * comment or account violates `reaction_issue_known`, `reaction_comment_known` or `reaction_account_known`.
 */
export async function insertReaction(
  tx: Tx,
  subject: Subject,
  { account, content }: { account: number; content: string },
): Promise<StoredReaction & { is_new: boolean }> {
  const [issue, comment] = 'issue' in subject ? [subject.issue, null] : [null, subject.comment]
  const unique =
    'issue' in subject
      ? tx`(issue_id, account_id, content) where issue_id is not null`
      : tx`(comment_id, account_id, content) where comment_id is not null`
  // The update changes nothing; "do nothing" would not return a row that a concurrent transaction is adding. A row that
  // this statement inserts has xmax 0.
  return onlyRow(tx<[StoredReaction & { is_new: boolean }]>`
    insert into forge.reaction (issue_id, comment_id, account_id, content, created_at)
    values (${issue}, ${comment}, ${account}, ${content}, ${tx.now})
    on conflict ${unique} do update set content = excluded.content
    returning id, account_id, content, created_at, xmax = 0 as is_new`)
}

/** Removes a reaction of an account, if it exists. */
export async function deleteReaction(
  tx: Tx,
  subject: Subject,
  { account, content }: { account: number; content: string },
): Promise<void> {
  await tx`
    delete from forge.reaction
    where ${ofSubject(tx, subject)} and account_id = ${account} and content = ${content}`
}
