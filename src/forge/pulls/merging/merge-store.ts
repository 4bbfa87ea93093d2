import { allRows, anyRow, firstRow } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'

/** A pull request as its merge needs it. */
export interface PullToMerge {
  /** Id of its issue. */
  id: number
  repository_id: number
  number: number
  title: string
  /** Markdown. */
  body: string
  poster_id: number | null
  /** Null: the account has been deleted. */
  poster_name: string | null
  closed_at: string | null
  merged_at: string | null
  /** Short names. */
  base_branch: string
  head_branch: string
  head_commit: string
  has_head_branch: boolean
  /** Null: it has been deleted. */
  head_repository_id: number | null
  /** `owner/name` of the head repository; null: it has been deleted. */
  head_path: string | null
}

/** A pull request of a repository by its number. */
export const pullToMerge = (sql: Sql, repository: number, number: number) =>
  firstRow(sql<PullToMerge[]>`
    select issue.id, issue.repository_id, issue.number, issue.title, issue.body, issue.poster_id,
      poster.name as poster_name, issue.closed_at,
      pull.merged_at, pull.base_branch, pull.head_branch, pull.head_commit, pull.has_head_branch,
      pull.head_repository_id, head_owner.name || '/' || head.name as head_path
    from forge.issue
    join forge.pull_request as pull on pull.issue_id = issue.id
    left join forge.account as poster on poster.id = issue.poster_id
    left join forge.repository as head on head.id = pull.head_repository_id
    left join forge.account as head_owner on head_owner.id = head.owner_id
    where issue.repository_id = ${repository} and issue.number = ${number}`)

/** A merge that is under way, or was when its process ended. */
export interface BegunMerge {
  issue_id: number
  repository_id: number
  number: number
  base_branch: string
  commit_id: string
  head_commit: string
  style: string
  merger_id: number | null
}

/**
 * Announces a merge; false: another one of the same pull request is under way, or it has another base branch now. It keeps this
 * one until the merge has ended.
 */
export async function beginMerge(
  tx: Tx,
  merge: Omit<BegunMerge, 'repository_id' | 'number'>,
): Promise<boolean> {
  const { issue_id, base_branch } = merge
  // In the order of what ends a merge: first the announcement, then the pull request.
  const [isBegun, isForThisBase] = await Promise.all([
    anyRow(tx`
      insert into forge.pull_merge (issue_id, commit_id, head_commit, style, merger_id, begun_at)
      values (${issue_id}, ${merge.commit_id}, ${merge.head_commit}, ${merge.style}, ${merge.merger_id}, ${tx.now})
      on conflict on constraint pull_merge_pkey do nothing
      returning issue_id`),
    anyRow(tx`
      select from forge.pull_request
      where issue_id = ${issue_id} and base_branch = ${base_branch}
      for share`),
  ])
  return isBegun && isForThisBase
}

/** Whether a merge of a pull request is under way; otherwise none begins until the transaction ends. */
export async function isBeingMerged(tx: Tx, issue: number): Promise<boolean> {
  // Lock first, then read: the second statement sees a merge that was announced meanwhile.
  await tx`select from forge.pull_request where issue_id = ${issue} for no key update`
  return anyRow(tx`select from forge.pull_merge where issue_id = ${issue}`)
}

/** Ends the announcement of a merge; false: somebody else has ended it. */
export const endMerge = (sql: Sql, { issue_id, commit_id }: Pick<BegunMerge, 'issue_id' | 'commit_id'>) =>
  anyRow(sql`
    delete from forge.pull_merge
    where issue_id = ${issue_id} and commit_id = ${commit_id}
    returning issue_id`)

/** Announced merges as `BegunMerge`, with the time; a condition follows. */
const begunMerges = (sql: Sql) => sql`
  select merge.issue_id, issue.repository_id, issue.number, pull.base_branch, merge.commit_id, merge.head_commit,
    merge.style, merge.merger_id, merge.begun_at
  from forge.pull_merge as merge
  join forge.pull_request as pull using (issue_id)
  join forge.issue on issue.id = merge.issue_id`

/** The merge of a pull request that is under way. */
export const mergeUnderWay = (sql: Sql, issue: number) =>
  firstRow(sql<(BegunMerge & { begun_at: string })[]>`
    ${begunMerges(sql)}
    where merge.issue_id = ${issue}`)

/** At most 100 merges that were begun before a moment, oldest first. */
export const mergesBefore = (sql: Sql, moment: Date) =>
  allRows(sql<BegunMerge[]>`
    ${begunMerges(sql)}
    where merge.begun_at < ${moment}
    order by merge.begun_at, merge.issue_id
    limit 100`)

/** The merges into these branches of a repository that are under way, or were when their process ended. */
export const mergesInto = (sql: Sql, repository: number, branches: readonly string[]) =>
  allRows(sql<BegunMerge[]>`
    ${begunMerges(sql)}
    where pull.repository_id = ${repository} and pull.base_branch = any(${[...branches]}::text[])
    order by merge.issue_id`)

/** The open pull requests for a branch that no merge of the API is about to close. */
export const pullsToDetect = (sql: Sql, repository: number, branch: string) =>
  allRows(sql<Omit<BegunMerge, 'commit_id' | 'style' | 'merger_id'>[]>`
    select pull.issue_id, pull.repository_id, issue.number, pull.base_branch, pull.head_commit
    from forge.pull_request as pull
    join forge.issue on issue.id = pull.issue_id
    where pull.repository_id = ${repository} and pull.base_branch = ${branch} and pull.is_open
      and not exists (select from forge.pull_merge where issue_id = pull.issue_id)
    order by pull.issue_id`)

/** Where the newest pull request that was merged from a branch to another one of the same repository went. */
export const mergedInto = (sql: Sql, repository: number, branch: string) =>
  firstRow(sql<{ base_branch: string }[]>`
    select base_branch
    from forge.pull_request
    where repository_id = ${repository} and head_repository_id = ${repository} and head_branch = ${branch}
      and merged_at is not null
    order by issue_id desc
    limit 1`)
