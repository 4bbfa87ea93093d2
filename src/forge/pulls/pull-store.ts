import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { issueColumns, type StoredIssue } from '../issues/issue-store.ts'

/** The only writer of `forge.pull_request`. `0078_pull_requests.sql` explains the columns. */

/** A pull request as it is stored: its issue, and what is proposed. */
export interface StoredPull extends StoredIssue {
  /** Null: the repository has been deleted. */
  head_repository_id: number | null
  /** Short names. */
  head_branch: string
  base_branch: string
  head_commit: string
  has_head_branch: boolean
  /** "": the histories have no common ancestor. */
  merge_base: string
  allow_maintainer_edit: boolean
  /** Null: it is not merged; all four. */
  merged_at: string | null
  merged_by: number | null
  merged_commit: string | null
  merge_style: string | null
  /** Ids of the accounts and teams that are asked for a review. */
  requested_reviewers: number[]
  requested_teams: number[]
  /** Number of comments on lines that others see. */
  review_comments: number
}

const pullColumns = (sql: Sql) => sql`
  ${issueColumns(sql)}, proposal.head_repository_id, proposal.head_branch, proposal.base_branch, proposal.head_commit,
  proposal.has_head_branch, proposal.merge_base, proposal.allow_maintainer_edit, proposal.merged_at, proposal.merged_by,
  proposal.merged_commit, proposal.merge_style,
  coalesce((
    select json_agg(reviewer_id order by id)
    from forge.review
    where issue_id = issue.id and state = 'request' and reviewer_id is not null
  ), '[]') as requested_reviewers,
  coalesce((
    select json_agg(team_id order by id)
    from forge.review
    where issue_id = issue.id and state = 'request' and team_id is not null
  ), '[]') as requested_teams,
  (
    select count(*)
    from forge.review_comment
    join forge.review on review.id = review_comment.review_id and review.state <> 'pending'
    where review_comment.issue_id = issue.id
  ) as review_comments`

const pulls = (sql: Sql) => sql`
  select ${pullColumns(sql)}
  from forge.issue
  join forge.pull_request as proposal on proposal.issue_id = issue.id`

/** The pull request of a repository with this number. */
export const pullByNumber = (sql: Sql, repository: number, number: number) =>
  firstRow(sql<StoredPull[]>`
    ${pulls(sql)}
    where issue.repository_id = ${repository} and issue.number = ${number}`)

export const pullById = (sql: Sql, id: number) =>
  firstRow(sql<StoredPull[]>`
    ${pulls(sql)}
    where issue.id = ${id}`)

/** The pull requests among these issues, in any order. */
export const pullsByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<StoredPull[]>`
    ${pulls(sql)}
    where issue.id = any(${[...ids]}::bigint[])`)

/** What is proposed to be merged into what, by ids of repositories and short names of branches. */
interface Pair {
  repository: number
  base_branch: string
  head_repository: number
  head_branch: string
}

/** The pull request of a pair: the open one, or the newest. */
export const pullOfPair = (sql: Sql, pair: Pair) =>
  firstRow(sql<StoredPull[]>`
    ${pulls(sql)}
    where proposal.repository_id = ${pair.repository} and proposal.base_branch = ${pair.base_branch}
      and proposal.head_repository_id = ${pair.head_repository} and proposal.head_branch = ${pair.head_branch}
    order by proposal.is_open desc, issue.id desc
    limit 1`)

/** The pull request that brought a commit into a repository. */
export const pullOfMergedCommit = (sql: Sql, repository: number, commit: string) =>
  firstRow(sql<StoredPull[]>`
    ${pulls(sql)}
    where proposal.repository_id = ${repository} and proposal.merged_commit = ${commit}
    order by issue.id desc
    limit 1`)

/** The open pull requests that propose one of these branches of a repository. */
export const openPullsFrom = (sql: Sql, repository: number, branches: readonly string[]) =>
  allRows(sql<StoredPull[]>`
    ${pulls(sql)}
    where proposal.head_repository_id = ${repository} and proposal.head_branch = any(${[...branches]}::text[])
      and proposal.is_open
    order by issue.id`)

/** The open pull requests that propose one of these branches of a repository, or are to be merged into one. */
export const openPullsOf = (sql: Sql, repository: number, branches: readonly string[]) =>
  allRows(sql<StoredPull[]>`
    ${pulls(sql)}
    where proposal.is_open and (
      (proposal.head_repository_id = ${repository} and proposal.head_branch = any(${[...branches]}::text[]))
      or (proposal.repository_id = ${repository} and proposal.base_branch = any(${[...branches]}::text[]))
    )
    order by issue.id`)

/** Filter of the pull requests of a repository; an undefined member does not filter. */
interface PullFilter {
  repository: number
  state: 'open' | 'closed' | 'all'
  base_branch?: string | undefined
  /** Ids. */
  poster?: number | undefined
  milestone?: number | undefined
  /** Ids of labels, of which it has one; empty: not filtered. */
  labels: readonly number[]
}

export const PULL_ORDERS = [
  'newest',
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'recentclose',
  'priority',
] as const
type PullOrder = (typeof PULL_ORDERS)[number]

const orders: Readonly<Record<PullOrder, (sql: Sql) => Fragment>> = {
  newest: (sql) => sql`order by number desc`,
  oldest: (sql) => sql`order by number`,
  recentupdate: (sql) => sql`order by updated_at desc, number desc`,
  leastupdate: (sql) => sql`order by updated_at, number`,
  mostcomment: (sql) => sql`order by comments_count desc, number desc`,
  leastcomment: (sql) => sql`order by comments_count, number`,
  recentclose: (sql) => sql`order by closed_at desc nulls last, number desc`,
  priority: (sql) => sql`order by number desc`,
}

/** A page of the pull requests of a repository. */
export function pageOfPulls(sql: Sql, filter: PullFilter, order: PullOrder, paging: Paging) {
  const none = sql``
  const { repository, state, base_branch, poster, milestone, labels } = filter
  const states = { open: sql`and closed_at is null`, closed: sql`and closed_at is not null`, all: none }
  return pageOf<StoredPull>(sql, paging, {
    from: sql`
      from forge.issue
      where repository_id = ${repository} and is_pull ${states[state]}
        ${poster === undefined ? none : sql`and poster_id = ${poster}`}
        ${milestone === undefined ? none : sql`and milestone_id = ${milestone}`}
        ${
          base_branch === undefined
            ? none
            : sql`and exists (
          select from forge.pull_request
          where issue_id = issue.id and base_branch = ${base_branch}
        )`
        }
        ${
          labels.length === 0
            ? none
            : sql`and (
          exists (select from forge.issue_label where issue_id = issue.id and label_id = any(${[...labels]}::bigint[]))
          or exists (
            select from forge.issue_organization_label
            where issue_id = issue.id and label_id = any(${[...labels]}::bigint[])
          )
        )`
        }`,
    keys: sql`id, number, updated_at, comments_count, closed_at`,
    rows: sql`
      select ${pullColumns(sql)}
      from page
      join forge.issue on issue.id = page.id
      join forge.pull_request as proposal on proposal.issue_id = issue.id`,
    by: orders[order](sql),
  })
}

/** The initial values of a pull request. */
type PullDraft = Pick<
  StoredPull,
  'head_branch' | 'base_branch' | 'head_commit' | 'merge_base' | 'allow_maintainer_edit'
> & { issue: number; repository: number; head_repository: number }

/** Adds its proposal to an issue. Violates `pull_request_open_pair` if an open one has the same pair. */
export async function insertPull(tx: Tx, draft: PullDraft): Promise<void> {
  await tx`
    insert into forge.pull_request
      (issue_id, repository_id, head_repository_id, head_branch, base_branch, head_commit, merge_base,
       allow_maintainer_edit)
    values
      (${draft.issue}, ${draft.repository}, ${draft.head_repository}, ${draft.head_branch}, ${draft.base_branch},
       ${draft.head_commit}, ${draft.merge_base}, ${draft.allow_maintainer_edit})`
}

/** Changes what a pull request proposes. Violates `pull_request_open_pair` likewise. */
export async function updatePull(
  tx: Tx,
  issue: number,
  next: Pick<StoredPull, 'base_branch' | 'merge_base' | 'allow_maintainer_edit'>,
): Promise<void> {
  await tx`
    update forge.pull_request
    set base_branch = ${next.base_branch}, merge_base = ${next.merge_base},
      allow_maintainer_edit = ${next.allow_maintainer_edit}
    where issue_id = ${issue}`
}

/** Sets the newest proposed commit of a pull request. */
export async function moveHead(
  tx: Tx,
  issue: number,
  { head_commit, merge_base }: Pick<StoredPull, 'head_commit' | 'merge_base'>,
): Promise<void> {
  await tx`
    update forge.pull_request
    set head_commit = ${head_commit}, merge_base = ${merge_base}, has_head_branch = true
    where issue_id = ${issue}`
}

/** Sets for all pull requests, open or not, that propose these branches whether the branches exist. */
export async function setHeadBranches(
  tx: Tx,
  repository: number,
  { branches, exist }: { branches: readonly string[]; exist: boolean },
): Promise<void> {
  await tx`
    update forge.pull_request
    set has_head_branch = ${exist}
    where head_repository_id = ${repository} and head_branch = any(${[...branches]}::text[])
      and has_head_branch <> ${exist}`
}

/** How a pull request was merged. */
interface MergeRecord {
  commit: string
  /** As the API names it. */
  style: string
  /** Null: the account has been deleted. */
  by: number | null
}

/** Stores that the pull request of an issue is merged; false: it was merged before. */
export const markMerged = (tx: Tx, issue: number, { commit, style, by }: MergeRecord) =>
  anyRow(tx`
    update forge.pull_request
    set merged_at = ${tx.now}, merged_by = ${by}, merged_commit = ${commit}, merge_style = ${style}
    where issue_id = ${issue} and merged_at is null
    returning issue_id`)

/**
 * Renames a branch of a repository in the pull requests that are not merged. One that an open pull request with the new name
 * stands in the way of keeps the old name.
 */
export async function renameBranchOfPulls(
  tx: Tx,
  repository: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx`
    update forge.pull_request as pull
    set base_branch = ${to}
    where repository_id = ${repository} and base_branch = ${from} and merged_at is null
      and not (is_open and exists (
        select from forge.pull_request as other
        where other.is_open and other.repository_id = pull.repository_id and other.base_branch = ${to}
          and other.head_repository_id = pull.head_repository_id and other.head_branch = pull.head_branch
      ))`
  await tx`
    update forge.pull_request as pull
    set head_branch = ${to}
    where head_repository_id = ${repository} and head_branch = ${from} and merged_at is null
      and not (is_open and exists (
        select from forge.pull_request as other
        where other.is_open and other.repository_id = pull.repository_id and other.base_branch = pull.base_branch
          and other.head_repository_id = pull.head_repository_id and other.head_branch = ${to}
      ))`
}
