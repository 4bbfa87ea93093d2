import { allRows, firstRow } from '../../db/rows.ts'
import { type Fragment, type Sql, type Tx, timeText } from '../../db/sql.ts'
import { attachmentsWithin, type StoredAttachment } from '../attachments/attachment-store.ts'
import { labelsOfIssue, type StoredLabel } from '../labels/label-store.ts'
import { milestoneOfIssue, type StoredMilestone } from '../milestones/milestone-store.ts'
import { pinOrderOfIssue } from './pin-store.ts'

/**
 * An issue as it is stored, with its assignees, labels, milestone and files. Timestamps are the texts that the connection
 * pool returns.
 */
export interface StoredIssue {
  id: number
  repository_id: number
  number: number
  /** Null: the account was deleted. */
  poster_id: number | null
  title: string
  body: string
  /** How often the text has changed. */
  content_version: number
  /** The branch or tag that it is about, as the client wrote it; "" for none. */
  ref: string
  /** Whether it is a pull request. */
  is_pull: boolean
  /** Of a pull request; null: it is none. */
  pull: { merged_at: string | null } | null
  comments_count: number
  created_at: string
  updated_at: string
  /** Null: it is open. */
  closed_at: string | null
  /** Ids of accounts. */
  assignees: number[]
  labels: StoredLabel[]
  milestone: StoredMilestone | null
  /** The deadline; null: none. */
  due_at: string | null
  /** Whether only those who may write to the issues can comment on it and react to it. */
  is_locked: boolean
  /** Its place among the pinned issues of the repository, from 1; 0: it is not pinned. */
  pin_order: number
  assets: StoredAttachment[]
}

/** The columns of a `StoredIssue`, for `select … from forge.issue as issue`. */
export const issueColumns = (sql: Sql) => sql`
  issue.id, issue.repository_id, issue.number, issue.is_pull, issue.poster_id, issue.title, issue.body,
  issue.content_version, issue.ref,
  case when issue.is_pull then (
    select json_build_object('merged_at', ${timeText(sql, sql`merged_at`)})
    from forge.pull_request
    where issue_id = issue.id
  ) end as pull,
  issue.comments_count, issue.created_at, issue.updated_at, issue.closed_at,
  issue.due_at, issue.is_locked, ${pinOrderOfIssue(sql)} as pin_order,
  coalesce((
    select json_agg(account_id order by account_id)
    from forge.issue_assignee
    where issue_id = issue.id
  ), '[]') as assignees,
  ${labelsOfIssue(sql)} as labels, ${milestoneOfIssue(sql)} as milestone,
  ${attachmentsWithin(sql, 'issue', sql`issue.id`)} as assets`

/** An issue with the names of its repository and of its owner. */
export interface IssueWithRepository extends StoredIssue {
  repository_name: string
  owner_name: string
}

/** Selects issues with their repositories from a table expression that contains `issue`; callers append conditions. */
export const issuesWithRepository = (sql: Sql, from: Fragment) => sql`
  select ${issueColumns(sql)}, repository.name as repository_name, owner.name as owner_name
  from ${from}
  join forge.repository on repository.id = issue.repository_id
  join forge.account as owner on owner.id = repository.owner_id`

/** The issue of a repository with this number. */
export const issueByNumber = (sql: Sql, repository: number, number: number) =>
  firstRow(sql<StoredIssue[]>`
    select ${issueColumns(sql)}
    from forge.issue
    where repository_id = ${repository} and number = ${number}`)

/** Like `issueByNumber`, and locks the issue until the transaction ends, so that edits of one issue are serialized. */
export const lockIssue = (tx: Tx, repository: number, number: number) =>
  lockAndRead(tx, tx`for no key update`, repository, number)

/** The same for its deletion: others can then add nothing to it. */
export const lockIssueToDelete = (tx: Tx, repository: number, number: number) =>
  lockAndRead(tx, tx`for update`, repository, number)

async function lockAndRead(
  tx: Tx,
  lock: Fragment,
  repository: number,
  number: number,
): Promise<StoredIssue | undefined> {
  // Lock first, then read: the second statement sees labels and assignees that a concurrent transaction committed.
  await tx`
    select id
    from forge.issue
    where repository_id = ${repository} and number = ${number}
    ${lock}`
  return issueByNumber(tx, repository, number)
}

/** Sets the deadline of a locked issue. */
export async function setDeadline(tx: Tx, id: number, due_at: Date | null): Promise<void> {
  await tx`
    update forge.issue
    set due_at = ${due_at}, updated_at = ${tx.now}
    where id = ${id}`
}

/** Sets whether an issue is locked against comments. */
export async function setLocked(tx: Tx, id: number, is_locked: boolean): Promise<void> {
  await tx`
    update forge.issue
    set is_locked = ${is_locked}, updated_at = ${tx.now}
    where id = ${id}`
}

/** Locks issues by their ids until the transaction ends. */
export async function lockIssues(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx`
    select from forge.issue
    where id = any(${[...ids]}::bigint[])
    order by id
    for no key update`
}

/** Locks all issues that an account has opened or commented on, until the transaction ends. */
export async function lockIssuesWith(tx: Tx, account: number): Promise<void> {
  await tx`
    select from forge.issue
    where id in (
      select id from forge.issue where poster_id = ${account}
      union
      select issue_id from forge.issue_comment where poster_id = ${account}
    )
    order by id
    for no key update`
}

/** The initial values of an issue. */
interface IssueDraft {
  poster_id: number
  title: string
  body: string
  ref: string
  closed: boolean
  /** Null: none. */
  milestone_id: number | null
  due_at: Date | null
  is_pull: boolean
}

/**
 * Opens issues of a repository, in their order; a trigger numbers them. Returns their ids and numbers in that order; none if
 * the repository has been deleted meanwhile, and holds it until the end of the transaction.
 */
export async function insertIssues(
  tx: Tx,
  repository: number,
  drafts: readonly IssueDraft[],
): Promise<{ id: number; number: number }[]> {
  return allRows(tx<{ id: number; number: number }[]>`
    with present as (
      select id
      from forge.repository
      where id = ${repository}
      for key share
    )
    insert into forge.issue (repository_id, poster_id, title, body, ref, created_at, updated_at, closed_at, milestone_id,
      due_at, is_pull)
    select present.id, poster_id, title, body, ref, ${tx.now}, ${tx.now},
      case when closed = 'true' then ${tx.now}::timestamptz end, milestone_id, due_at::timestamptz, is_pull = 'true'
    from unnest(
      ${drafts.map((draft) => draft.poster_id)}::bigint[], ${drafts.map(({ title }) => title)}::text[],
      ${drafts.map(({ body }) => body)}::text[], ${drafts.map(({ ref }) => ref)}::text[],
      ${drafts.map(({ closed }) => String(closed))}::text[],
      ${drafts.map((draft) => draft.milestone_id)}::bigint[],
      ${drafts.map((draft) => draft.due_at?.toISOString() ?? null)}::text[],
      ${drafts.map((draft) => String(draft.is_pull))}::text[]
    ) with ordinality as draft (poster_id, title, body, ref, closed, milestone_id, due_at, is_pull, place)
    cross join present
    order by place
    returning id, number`)
}

/** Issues by their ids, in ascending order of those. */
export const issuesByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<StoredIssue[]>`
    select ${issueColumns(sql)}
    from forge.issue
    where id = any(${[...ids]}::bigint[])
    order by id`)

/** Changes a locked issue. */
export async function updateIssue(
  tx: Tx,
  id: number,
  next: {
    title: string
    body: string
    ref: string
    closed_at: string | Date | null
    milestone_id: number | null
    due_at: string | Date | null
  },
): Promise<void> {
  await tx`
    update forge.issue
    set title = ${next.title}, body = ${next.body},
      content_version = content_version + case when body = ${next.body} then 0 else 1 end,
      ref = ${next.ref}, closed_at = ${next.closed_at},
      milestone_id = ${next.milestone_id}, due_at = ${next.due_at}, updated_at = ${tx.now}
    where id = ${id}`
}

/** Deletes a locked issue with everything that belongs to it. Its number is not reused. */
export async function deleteIssue(tx: Tx, id: number): Promise<void> {
  await tx`
    delete from forge.issue
    where id = ${id}`
}

/** Updates `updated_at` of an issue after a change that is stored outside its row. */
export async function touchIssue(tx: Tx, id: number): Promise<void> {
  await tx`
    update forge.issue
    set updated_at = ${tx.now}
    where id = ${id}`
}

/** Replaces the assignees of a locked issue. */
export async function replaceAssignees(tx: Tx, issue: number, accounts: readonly number[]): Promise<void> {
  await tx`
    with removed as (
      delete from forge.issue_assignee
      where issue_id = ${issue} and account_id <> all(${[...accounts]}::bigint[])
    )
    insert into forge.issue_assignee (issue_id, account_id)
    select ${issue}, account_id
    from unnest(${[...accounts]}::bigint[]) as account_id
    on conflict on constraint issue_assignee_pkey do nothing`
}
