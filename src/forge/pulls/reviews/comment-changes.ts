import type { Tx } from '../../../db/sql.ts'
import { found, notFound } from '../../../http/route/problem.ts'
import { json, noBody } from '../../../http/route/sends.ts'
import { record } from '../../audit/audit-trail.ts'
import { emitCommentEvent, issueTarget } from '../../issues/events.ts'
import { issueByNumber, lockIssue, touchIssue } from '../../issues/issue-store.ts'
import { numberIn, numberParam } from '../../protocol/query.ts'
import { requireAuthorOrWriter } from '../../repos/issue-access.ts'
import { type ForgeContext, route } from '../../route.ts'
import { type PullCaller, pullAuthor } from '../access.ts'
import { removeEmptyReview } from './removal.ts'
import { EditPullReviewCommentOptions } from './review.option.ts'
import { PullReviewComment } from './review.shape.ts'
import {
  deleteReviewComment,
  reviewCommentById,
  type StoredReviewComment,
  updateReviewComment,
} from './review-comment-store.ts'
import { printedReviewComments } from './review-view.ts'

/** Changes of comments on lines, which in the original only its pages offer. */

const changing = {
  extension: true,
  access: pullAuthor(),
  params: { id: numberParam },
  fails: [403, 404],
} as const

export const editPullReviewComment = route('PATCH /repos/{owner}/{repo}/pulls/comments/{id}', {
  ...changing,
  summary: 'Change a comment on a line',
  body: EditPullReviewCommentOptions,
  returns: json(200, PullReviewComment),
  handler: async (context) => {
    const { body } = context.body
    const number = await context.begin(async (tx) => {
      const comment = await lockReviewComment(tx, context)
      if (comment.body === body) return comment.number
      await updateReviewComment(tx, comment.id, body)
      await tell(tx, context, { ...comment, body }, { action: 'edited', from: comment.body })
      return comment.number
    })
    const { caller, params, sql } = context
    const stored = found(await reviewCommentById(sql, caller.repo.id, numberIn(params.id)))
    return found((await printedReviewComments(context, number, [stored]))[0])
  },
})

export const deletePullReviewComment = route('DELETE /repos/{owner}/{repo}/pulls/comments/{id}', {
  ...changing,
  summary: 'Delete a comment on a line, and with the last one a review that says nothing else',
  returns: noBody(204),
  handler: (context) =>
    context.begin(async (tx) => {
      const comment = await lockReviewComment(tx, context)
      found(await deleteReviewComment(tx, comment.id))
      await removeEmptyReview(tx, comment)
      await tell(tx, context, comment, { action: 'deleted' })
      const target = issueTarget(context, { id: comment.issue_id, number: comment.number })
      await record(tx, context, { action: 'comment.deleted', target, details: { comment: comment.id } })
    }),
})

type ChangeContext = ForgeContext<PullCaller, { params: { id: string } }>
type Comment = StoredReviewComment & { number: number; is_draft: boolean }

/** Locks the pull request of a comment that the caller may change. @throws Problem 403, 404 also if it is somebody else's draft */
async function lockReviewComment(tx: Tx, { caller, params }: ChangeContext): Promise<Comment> {
  const { me, repo } = caller
  const seen = found(await reviewCommentById(tx, repo.id, numberIn(params.id)))
  found(await lockIssue(tx, repo.id, seen.number))
  // Read again: it may have changed before the lock was taken.
  const comment = found(await reviewCommentById(tx, repo.id, seen.id))
  if (comment.is_draft && comment.poster_id !== me.id) throw notFound()
  requireAuthorOrWriter(caller, comment.poster_id)
  return comment
}

/** Nobody learns of drafts. */
async function tell(
  tx: Tx,
  context: ChangeContext,
  comment: Comment,
  { action, from }: { action: 'edited' | 'deleted'; from?: string },
): Promise<void> {
  if (comment.is_draft) return
  await touchIssue(tx, comment.issue_id)
  const issue = found(await issueByNumber(tx, context.caller.repo.id, comment.number))
  const changes = from === undefined ? {} : { changes: { body: { from } } }
  await emitCommentEvent(
    tx,
    context,
    issue,
    { ...comment, is_pull: true, assets: [] },
    { action, ...changes },
  )
}
