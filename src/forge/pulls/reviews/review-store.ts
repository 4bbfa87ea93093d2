import { type Paging, pageOf } from '../../../db/page.ts'
import { allRows, anyRow, firstRow, onlyRow } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'
import { levelIn, mayRead, teamReads } from '../../permissions/access-level-store.ts'

/** The only writer of `forge.review`. `0078_pull_requests.sql` explains the columns. */

export type ReviewState = 'pending' | 'comment' | 'approve' | 'reject' | 'request'

/** A review, a draft of one, or a request for one. */
export interface StoredReview {
  id: number
  issue_id: number
  /** Null: the account has been deleted, or a team is asked. */
  reviewer_id: number | null
  team_id: number | null
  state: ReviewState
  body: string
  /** "" for a request. */
  commit_id: string
  is_official: boolean
  is_stale: boolean
  is_dismissed: boolean
  created_at: string
  updated_at: string
  comments_count: number
  /** Id of its entry in the timeline; null: it has none, as drafts and requests. */
  entry_id: number | null
}

/** For `… from forge.review`. */
const columns = (sql: Sql) => sql`
  review.id, review.issue_id, review.reviewer_id, review.team_id, review.state, review.body, review.commit_id,
  review.is_official, review.is_stale, review.is_dismissed, review.created_at, review.updated_at,
  (select count(*) from forge.review_comment where review_id = review.id) as comments_count,
  (
    select id
    from forge.issue_event
    where issue_id = review.issue_id and type = 'review' and subject_id = review.id
    order by id
    limit 1
  ) as entry_id`

/** Who reads reviews: drafts are shown to their authors, and to site administrators. */
export interface DraftReader {
  account: number | undefined
  seesAll: boolean
}

const readable = (sql: Sql, { account, seesAll }: DraftReader) =>
  seesAll ? sql`` : sql`and (state <> 'pending' or reviewer_id = ${account ?? null})`

/** A page of the reviews of a pull request, the oldest first. */
export const pageOfReviews = (sql: Sql, issue: number, reader: DraftReader, paging: Paging) =>
  pageOf<StoredReview>(sql, paging, {
    from: sql`from forge.review where issue_id = ${issue} ${readable(sql, reader)}`,
    keys: sql`id`,
    rows: sql`
      select ${columns(sql)}
      from page
      join forge.review using (id)`,
    by: sql`order by id`,
  })

/** A review of a pull request by its id. */
export const reviewById = (sql: Sql, issue: number, id: number) =>
  firstRow(sql<StoredReview[]>`
    select ${columns(sql)}
    from forge.review
    where issue_id = ${issue} and id = ${id}`)

/** Reviews by their ids, the oldest first. */
export const reviewsByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<StoredReview[]>`
    select ${columns(sql)}
    from forge.review
    where id = any(${[...ids]}::bigint[])
    order by id`)

/** The draft of an account. */
export const draftOf = (sql: Sql, issue: number, reviewer: number) =>
  firstRow(sql<StoredReview[]>`
    select ${columns(sql)}
    from forge.review
    where issue_id = ${issue} and reviewer_id = ${reviewer} and state = 'pending'`)

/** What a review says when it is begun or submitted. */
type ReviewText = Pick<StoredReview, 'state' | 'body' | 'commit_id' | 'is_official' | 'is_stale'>

export async function insertReview(
  tx: Tx,
  { issue, reviewer }: { issue: number; reviewer: number },
  { state, body, commit_id, is_official, is_stale }: ReviewText,
): Promise<number> {
  const { id } = await onlyRow(tx<[{ id: number }]>`
    insert into forge.review
      (issue_id, reviewer_id, state, body, commit_id, is_official, is_stale, created_at, updated_at)
    values (${issue}, ${reviewer}, ${state}, ${body}, ${commit_id}, ${is_official}, ${is_stale}, ${tx.now}, ${tx.now})
    returning id`)
  return id
}

/** Changes a draft, or submits it: it counts from then on. */
export async function updateDraft(
  tx: Tx,
  id: number,
  { state, body, commit_id, is_official, is_stale }: ReviewText,
): Promise<void> {
  await tx`
    update forge.review
    set state = ${state}, body = ${body}, commit_id = ${commit_id}, is_official = ${is_official}, is_stale = ${is_stale},
      created_at = ${tx.now}, updated_at = ${tx.now}
    where id = ${id}`
}

export const deleteReview = (tx: Tx, id: number) =>
  anyRow(tx`
    delete from forge.review
    where id = ${id}`)

/** Only the newest decision of a reviewer counts: the earlier ones are dismissed, and no longer official. */
export async function supersedeDecisions(
  tx: Tx,
  { issue, reviewer, newest }: { issue: number; reviewer: number; newest: number },
): Promise<void> {
  await tx`
    update forge.review
    set is_official = false, is_dismissed = true
    where issue_id = ${issue} and reviewer_id = ${reviewer} and state in ('approve', 'reject') and id <> ${newest}`
}

/** Sets whether a decision counts; with `priors` also the earlier ones of its reviewer. */
export async function dismissReview(
  tx: Tx,
  { id, issue_id, reviewer_id }: Pick<StoredReview, 'id' | 'issue_id' | 'reviewer_id'>,
  { isDismissed, priors }: { isDismissed: boolean; priors: boolean },
): Promise<void> {
  await tx`
    update forge.review
    set is_dismissed = ${isDismissed}, updated_at = ${tx.now}
    where issue_id = ${issue_id} and state in ('approve', 'reject') and is_dismissed <> ${isDismissed}
      and (id = ${id} ${priors ? tx`or (reviewer_id = ${reviewer_id} and id < ${id})` : tx``})`
}

/** Who is asked for a review. */
export type Asked = { account: number } | { team: number }

const asked = (sql: Sql, who: Asked) =>
  'account' in who ? sql`reviewer_id = ${who.account}` : sql`team_id = ${who.team}`

/** Asks for a review; undefined: that was done already. */
export const insertRequest = (
  tx: Tx,
  { issue, is_official }: { issue: number; is_official: boolean },
  who: Asked,
) =>
  firstRow(tx<{ id: number }[]>`
    insert into forge.review (issue_id, reviewer_id, team_id, state, is_official, created_at, updated_at)
    values (${issue}, ${'account' in who ? who.account : null}, ${'team' in who ? who.team : null}, 'request',
      ${is_official}, ${tx.now}, ${tx.now})
    on conflict do nothing
    returning id`)

/** Withdraws a request; false: there was none. */
export const deleteRequest = (tx: Tx, issue: number, who: Asked) =>
  anyRow(tx`
    delete from forge.review
    where issue_id = ${issue} and state = 'request' and ${asked(tx, who)}
    returning id`)

/** Deletes the requests that a review answers: to its author, and if it decides, to the teams of its author. */
export async function deleteAnsweredRequests(
  tx: Tx,
  { issue, reviewer, decides }: { issue: number; reviewer: number; decides: boolean },
): Promise<void> {
  const teams = tx`or team_id in (select team_id from forge.team_member where account_id = ${reviewer})`
  await tx`
    delete from forge.review
    where issue_id = ${issue} and state = 'request' and (reviewer_id = ${reviewer} ${decides ? teams : tx``})`
}

/** No decision of an account counts any more; null: of deleted accounts. */
export async function clearOfficial(tx: Tx, issue: number, reviewer: number | null): Promise<void> {
  await tx`
    update forge.review
    set is_official = false
    where issue_id = ${issue} and reviewer_id is not distinct from ${reviewer} and state in ('approve', 'reject') and is_official`
}

/** Lets the newest decision of an account count again, after a later review or request is gone. */
export async function restoreOfficial(tx: Tx, issue: number, reviewer: number): Promise<void> {
  await tx`
    update forge.review
    set is_official = true
    where id = (
      select max(id)
      from forge.review
      where issue_id = ${issue} and reviewer_id = ${reviewer} and state in ('approve', 'reject')
    )`
}

/** The access levels of an account to a repository by rights of its own, to its code and to its pull requests. */
export const levelsOfReviewer = (sql: Sql, repository: number, account: number) =>
  onlyRow(sql<[{ code: number; pulls: number }]>`
    select
      case when account.is_admin then 4 else coalesce(${levelIn(sql, sql`account.id`, 'repo.code')}, 0) end as code,
      case when account.is_admin then 4 else coalesce(${levelIn(sql, sql`account.id`, 'repo.pulls')}, 0) end as pulls
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = ${repository}`)

/** Whether an account can be asked: it may sign in, and read the pull requests of a repository. */
export const canReview = (sql: Sql, repository: number, account: number) =>
  anyRow(sql`
    select
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = ${repository} and account.is_active and ${mayRead(sql, 'repo.pulls')}`)

/** Whether a team can be asked: everybody may read the repository, or the team reads its pull requests. */
export const teamCanReview = (sql: Sql, repository: number, team: number) =>
  anyRow(sql`
    select
    from forge.repository
    join forge.team on team.id = ${team} and team.organization_id = repository.owner_id
    where repository.id = ${repository} and (not repository.is_private or ${teamReads(sql, 'repo.pulls')})`)

/** Whether an account has reviewed a pull request, or is asked to. */
export const hasReviewOf = (sql: Sql, issue: number, account: number) =>
  anyRow(sql`
    select
    from forge.review
    where issue_id = ${issue} and reviewer_id = ${account} and state <> 'pending'
    limit 1`)

/** Whether somebody has approved or rejected a pull request. */
export const hasDecisions = (sql: Sql, issue: number) =>
  anyRow(sql`
    select
    from forge.review
    where issue_id = ${issue} and state in ('approve', 'reject')
    limit 1`)

/** Marks decisions as stale, if what is proposed has changed; never those about the new head. Null: the head is as before. */
export async function setStale(
  tx: Tx,
  issue: number,
  { head, isChanged }: { head: string | null; isChanged: boolean },
): Promise<void> {
  const isStale = tx`(commit_id is distinct from ${head} and (is_stale or ${isChanged}))`
  await tx`
    update forge.review
    set is_stale = ${isStale}
    where issue_id = ${issue} and state in ('approve', 'reject') and is_stale <> ${isStale}`
}

/** Lets no approval that counts do so any more; returns their ids. */
export const dismissApprovals = (tx: Tx, issue: number) =>
  allRows(tx<{ id: number }[]>`
    update forge.review
    set is_dismissed = true, updated_at = ${tx.now}
    where issue_id = ${issue} and state = 'approve' and not is_dismissed
    returning id`)
