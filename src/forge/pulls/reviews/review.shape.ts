import * as v from 'valibot'
import { shape } from '../../../http/route/validate.ts'
import { described, int } from '../../../http/route/values.ts'
import { moment, User } from '../../accounts/user.shape.ts'
import { Team } from '../../orgs/team.shape.ts'
import { EPOCH, printTime } from '../../protocol/time.ts'
import type { StoredReviewComment } from './review-comment-store.ts'
import type { ReviewState, StoredReview } from './review-store.ts'

/** PullReview of the original. */
export const PullReview = shape('PullReview', {
  id: int,
  user: described(v.nullable(User), 'Whose review it is, or who is asked for one; null: a team is asked'),
  team: described(v.nullable(Team), 'The team that is asked; null: a person is'),
  state: v.picklist(['APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW']),
  body: described(v.string(), 'Markdown'),
  commit_id: described(v.string(), 'The commit that was read; empty: nobody has read one yet'),
  stale: described(v.boolean(), 'Whether the pull request has changed since'),
  official: described(v.boolean(), 'Whether it counts for the rule of the base branch'),
  dismissed: described(v.boolean(), 'Whether it has been made not to count'),
  comments_count: described(int, 'Number of its comments on lines'),
  submitted_at: described(moment, 'When it was submitted; of a draft, when it was last changed'),
  updated_at: moment,
  html_url: described(v.string(), 'Address of its place on the page; empty: it has none'),
  pull_request_url: v.string(),
})
export type PullReview = v.InferOutput<typeof PullReview>

/** PullReviewComment of the original. */
export const PullReviewComment = shape('PullReviewComment', {
  id: int,
  body: described(v.string(), 'Markdown'),
  user: User,
  resolver: described(v.nullable(User), 'Who has marked the conversation as resolved; null: nobody'),
  pull_request_review_id: int,
  created_at: moment,
  updated_at: moment,
  path: v.string(),
  commit_id: described(v.string(), 'The commit whose file has the line'),
  original_commit_id: described(v.string(), 'The same'),
  diff_hunk: described(
    v.string(),
    'The part of the difference that ends in the line, or of the file where that has not changed; empty: it is no text',
  ),
  position: described(int, 'The line of the file after the change; 0: it is in the old file'),
  original_position: described(int, 'The line of the file before the change; 0: it is in the new file'),
  html_url: v.string(),
  pull_request_url: v.string(),
})
export type PullReviewComment = v.InferOutput<typeof PullReviewComment>

const states: Readonly<Record<ReviewState, PullReview['state']>> = {
  approve: 'APPROVED',
  pending: 'PENDING',
  comment: 'COMMENT',
  reject: 'REQUEST_CHANGES',
  request: 'REQUEST_REVIEW',
}

/** A review as it is sent; `page` is the address of the pull request. */
export const printReview = (
  row: StoredReview,
  { user, team, page }: { user: User | null; team: Team | null; page: string },
): PullReview => ({
  id: row.id,
  user,
  team,
  state: states[row.state],
  body: row.body,
  commit_id: row.commit_id,
  stale: row.is_stale,
  official: row.is_official,
  dismissed: row.is_dismissed,
  comments_count: row.comments_count,
  submitted_at: printTime(row.created_at, EPOCH),
  updated_at: printTime(row.updated_at, EPOCH),
  html_url: row.entry_id === null ? '' : `${page}#issuecomment-${row.entry_id}`,
  pull_request_url: page,
})

export const printReviewComment = (
  row: StoredReviewComment,
  { user, resolver, page }: { user: User; resolver: User | null; page: string },
): PullReviewComment => ({
  id: row.id,
  body: row.body,
  user,
  resolver,
  pull_request_review_id: row.review_id,
  created_at: printTime(row.created_at, EPOCH),
  updated_at: printTime(row.updated_at, EPOCH),
  path: row.path,
  commit_id: row.commit_id,
  original_commit_id: row.commit_id,
  diff_hunk: row.hunk,
  position: row.is_old ? 0 : row.line,
  original_position: row.is_old ? row.line : 0,
  html_url: `${page}#issuecomment-${row.id}`,
  pull_request_url: page,
})
