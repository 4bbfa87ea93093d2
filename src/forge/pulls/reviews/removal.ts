import type { Tx } from '../../../db/sql.ts'
import { forbidden, found, unprocessable } from '../../../http/route/problem.ts'
import { record } from '../../audit/audit-trail.ts'
import { deleteHappenings } from '../../issue-events/event-store.ts'
import { issueTarget } from '../../issues/events.ts'
import { lockIssue, touchIssue } from '../../issues/issue-store.ts'
import type { ForgeContext } from '../../route.ts'
import type { PullCaller } from '../access.ts'
import { deleteReview, restoreOfficial, reviewById, type StoredReview } from './review-store.ts'
import { reviewSeen } from './review-view.ts'

type RemovalContext = ForgeContext<PullCaller, { params: { index: string; id: string } }>

/**
 * Deletes a review of the caller, or for site administrators of anybody, with its entries in the timeline. The decision that
 * its author made before counts again, unless it was dismissed.
 * @throws Problem 403, 404, 422 it is a request
 */
export async function removeReview(context: RemovalContext): Promise<void> {
  const { caller, begin } = context
  const { review: seen, number } = await reviewSeen(context)
  await begin(async (tx) => {
    const issue = found(await lockIssue(tx, caller.repo.id, number))
    const review = found(await reviewById(tx, issue.id, seen.id))
    if (!caller.me.is_admin && review.reviewer_id !== caller.me.id)
      throw forbidden('only its author can delete a review')
    if (review.state === 'request') throw unprocessable('a request is withdrawn at …/requested_reviewers')
    await deleteWithEntries(tx, review)
    if (review.is_official && review.reviewer_id !== null)
      await restoreOfficial(tx, issue.id, review.reviewer_id)
    await touchIssue(tx, issue.id)
    const details = { review: review.id }
    await record(tx, context, { action: 'review.deleted', target: issueTarget(context, issue), details })
  })
}

/** Deletes a review without a decision, a text and comments: its last comment has been deleted. */
export async function removeEmptyReview(
  tx: Tx,
  { issue_id, review_id }: { issue_id: number; review_id: number },
): Promise<void> {
  const review = found(await reviewById(tx, issue_id, review_id))
  const decides = review.state === 'approve' || review.state === 'reject'
  if (!decides && review.body.trim() === '' && review.comments_count === 0)
    await deleteWithEntries(tx, review)
}

async function deleteWithEntries(
  tx: Tx,
  { id, issue_id }: Pick<StoredReview, 'id' | 'issue_id'>,
): Promise<void> {
  await deleteReview(tx, id)
  await deleteHappenings(tx, { issue: issue_id, subject: id, types: ['review', 'dismiss_review'] })
}
