import { allRows, onlyRow } from '../../../db/rows.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReviewState } from '../reviews/review-store.ts'
import type { ReviewCounts } from './refusals.ts'

/** The reviews of a pull request that count for the rule of its base branch: of each reviewer the newest that decides. */
export const reviewCounts = (sql: Sql, issue: number) =>
  onlyRow(sql<[ReviewCounts]>`
    with newest as (
      select distinct on (reviewer_id) state, is_official, is_stale
      from forge.review
      where issue_id = ${issue} and state in ('approve', 'reject') and not is_dismissed
      order by reviewer_id, id desc
    )
    select
      (select count(*)::bigint from newest where state = 'approve' and is_official) as approvals,
      (select count(*)::bigint from newest where state = 'approve' and is_official and is_stale) as stale_approvals,
      (select count(*)::bigint from newest where state = 'reject' and is_official) as rejections,
      (
        select count(*)::bigint
        from forge.review
        where issue_id = ${issue} and state = 'request' and is_official
      ) as requests`)

/** What somebody has decided about a pull request. */
interface Decision {
  /** Null: the account has been deleted. */
  reviewer_id: number | null
  state: Extract<ReviewState, 'approve' | 'reject'>
  is_official: boolean
  is_stale: boolean
}

/** The newest decision of each reviewer that was not dismissed. */
export const decisionsOn = (sql: Sql, issue: number) =>
  allRows(sql<Decision[]>`
    select distinct on (reviewer_id) reviewer_id, state, is_official, is_stale
    from forge.review
    where issue_id = ${issue} and state in ('approve', 'reject') and not is_dismissed
    order by reviewer_id, id desc
    limit 100`)
