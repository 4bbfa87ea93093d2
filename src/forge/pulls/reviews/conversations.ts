import { forbidden, found, notFound } from '../../../http/route/problem.ts'
import { json, noBody } from '../../../http/route/sends.ts'
import { emitCommentEvent } from '../../issues/events.ts'
import { issueByNumber, lockIssue, touchIssue } from '../../issues/issue-store.ts'
import { insertMentions } from '../../issues/mention-store.ts'
import { mentionedIn } from '../../issues/mentions.ts'
import { numberIn, numberParam, onIssue } from '../../protocol/query.ts'
import { mayWriteIssues, requireUnlocked } from '../../repos/issue-access.ts'
import { type ForgeContext, route } from '../../route.ts'
import { emitIssueActivity } from '../../watching/events.ts'
import { type PullCaller, pullAuthor } from '../access.ts'
import { pullById } from '../pull-store.ts'
import { isOfficialReviewer } from './official.ts'
import { CreatePullReviewCommentReplyOptions } from './review.option.ts'
import { PullReviewComment } from './review.shape.ts'
import { insertReviewComments, resolveComment, reviewCommentById } from './review-comment-store.ts'
import { printedReviewComments } from './review-view.ts'

/** Conversations about lines: a comment of a review, and the replies to it. */

const resolving = {
  access: pullAuthor(),
  params: { id: numberParam },
  fails: [403, 404],
  returns: noBody(204),
} as const

export const repoResolvePullReviewComment = route('POST /repos/{owner}/{repo}/pulls/comments/{id}/resolve', {
  ...resolving,
  summary: 'Mark a conversation as resolved',
  handler: (context) => setResolved(context, true),
})

export const repoUnresolvePullReviewComment = route(
  'POST /repos/{owner}/{repo}/pulls/comments/{id}/unresolve',
  {
    ...resolving,
    summary: 'Mark a conversation as not resolved',
    handler: (context) => setResolved(context, false),
  },
)

export const repoCreatePullReviewCommentReply = route(
  'POST /repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies',
  {
    summary: 'Reply to a comment on a line',
    access: pullAuthor(),
    params: { ...onIssue, id: numberParam },
    body: CreatePullReviewCommentReplyOptions,
    fails: [403, 404, 422],
    returns: json(201, PullReviewComment),
    handler: reply,
  },
)

/**
 * The one who opened the pull request, those who may write to pull requests, and official reviewers decide what is resolved.
 * @throws Problem 403, 404
 */
async function setResolved(
  { caller, params, begin }: ForgeContext<PullCaller, { params: { id: string } }>,
  isResolved: boolean,
): Promise<void> {
  const { me, repo } = caller
  await begin(async (tx) => {
    const comment = found(await reviewCommentById(tx, repo.id, numberIn(params.id)))
    if (comment.is_draft) throw notFound()
    found(await lockIssue(tx, repo.id, comment.number))
    const pull = found(await pullById(tx, comment.issue_id))
    const mayResolve =
      pull.poster_id === me.id || mayWriteIssues(caller) || (await isOfficialReviewer(tx, pull, me.id))
    if (!mayResolve) throw forbidden('no permission to resolve conversations of this pull request')
    await resolveComment(tx, comment.id, isResolved ? me.id : null)
  })
}

type ReplyContext = ForgeContext<
  PullCaller,
  { params: { index: string; id: string }; body: { body: string } }
>

/** The reply belongs to the review and the line of the comment. @throws Problem 403, 404 */
async function reply(context: ReplyContext): Promise<PullReviewComment> {
  const { caller, params, body, begin, sql } = context
  const { me, repo } = caller
  const number = numberIn(params.index)
  const names = await mentionedIn(context, [body.body])
  const id = await begin(async (tx) => {
    const issue = found(await lockIssue(tx, repo.id, number))
    const { path, line, is_old, commit_id, hunk, ...first } = found(
      await reviewCommentById(tx, repo.id, numberIn(params.id)),
    )
    if (first.is_draft || first.number !== number) throw notFound()
    requireUnlocked(caller, issue.is_locked)
    const place = { path, line, is_old, commit_id, hunk, review_id: first.review_id, issue_id: issue.id }
    const [added] = await insertReviewComments(tx, [{ ...place, poster_id: me.id, body: body.body }])
    const stored = found(await reviewCommentById(tx, repo.id, found(added)))
    await touchIssue(tx, issue.id)
    const after = found(await issueByNumber(tx, repo.id, number))
    await emitCommentEvent(
      tx,
      context,
      after,
      { ...stored, is_pull: true, assets: [] },
      { action: 'created' },
    )
    await insertMentions(tx, { issue: issue.id, actor: me.id, names })
    await emitIssueActivity(tx, { issue: issue.id, actor: me.id, audience: true, names, accounts: [] })
    return stored.id
  })
  const stored = found(await reviewCommentById(sql, repo.id, id))
  return found((await printedReviewComments(context, number, [stored]))[0])
}
