import { forbidden, found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { lockIssue, touchIssue } from '../../issues/issue-store.ts'
import { numberParam, onIssue } from '../../protocol/query.ts'
import { type ForgeContext, route } from '../../route.ts'
import { type PullCaller, pullAdmin } from '../access.ts'
import { noticeAutoMerges } from '../merging/auto-merge-store.ts'
import { DismissPullReviewOptions } from './review.option.ts'
import { PullReview } from './review.shape.ts'
import { dismissReview, reviewById } from './review-store.ts'
import { printedReview, reviewSeen } from './review-view.ts'

/** Reviews that administrators make not to count. */

const dismissing = {
  access: pullAdmin(),
  params: { ...onIssue, id: numberParam },
  fails: [403, 404],
  returns: json(200, PullReview),
} as const

export const repoDismissPullReview = route(
  'POST /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/dismissals',
  {
    ...dismissing,
    summary: 'Let a review not count any more',
    body: DismissPullReviewOptions,
    handler: ({ body, ...context }) =>
      setDismissed(context, { isDismissed: true, priors: body.priors, message: body.message }),
  },
)

export const repoUnDismissPullReview = route(
  'POST /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/undismissals',
  {
    ...dismissing,
    summary: 'Let a dismissed review count again',
    handler: (context) => setDismissed(context, { isDismissed: false, priors: false, message: '' }),
  },
)

type DismissalContext = ForgeContext<PullCaller, { params: { index: string; id: string } }>

/** @throws Problem 403 it decides nothing, or the pull request is closed; 404 */
async function setDismissed(
  context: DismissalContext,
  { isDismissed, priors, message }: { isDismissed: boolean; priors: boolean; message: string },
): Promise<PullReview> {
  const { caller, begin } = context
  const { review: seen, number } = await reviewSeen(context)
  const review = await begin(async (tx) => {
    const issue = found(await lockIssue(tx, caller.repo.id, number))
    const before = found(await reviewById(tx, issue.id, seen.id))
    if (before.state !== 'approve' && before.state !== 'reject')
      throw forbidden("not need to dismiss this review because it's type is not Approve or change request")
    if (issue.closed_at !== null)
      throw forbidden("can't dismiss a review associated to a closed or merged PR")
    await dismissReview(tx, before, { isDismissed, priors })
    if (isDismissed && !before.is_dismissed)
      await recordHappenings(tx, { issue: issue.id, actor: caller.me.id }, [
        { type: 'dismiss_review', subject: before.id, new_text: message },
      ])
    await touchIssue(tx, issue.id)
    await noticeAutoMerges(tx, { repositories: [caller.repo.id] }, tx.now)
    await tx.wake()
    return found(await reviewById(tx, issue.id, before.id))
  })
  return printedReview(context, number, review)
}
