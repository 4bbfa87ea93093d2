import type { Tx } from '../../../db/sql.ts'
import { commitOfId } from '../../../git/repository/revisions.ts'
import { forbidden, found, unprocessable } from '../../../http/route/problem.ts'
import { printUser } from '../../accounts/user.shape.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { lockIssue, touchIssue } from '../../issues/issue-store.ts'
import { insertMentions } from '../../issues/mention-store.ts'
import { mentionedIn } from '../../issues/mentions.ts'
import { type Code, gitValue, openToWrite } from '../../repos/code.ts'
import { requireUnlocked } from '../../repos/issue-access.ts'
import type { ForgeContext } from '../../route.ts'
import { emitIssueActivity } from '../../watching/events.ts'
import type { PullCaller } from '../access.ts'
import { emitPullEvents } from '../pull-events.ts'
import { pullById, pullByNumber, type StoredPull } from '../pull-store.ts'
import { type PlacedComment, placeComments } from './comment-lines.ts'
import { isOfficialReviewer } from './official.ts'
import { isOtherChange } from './other-change.ts'
import { insertReviewComments } from './review-comment-store.ts'
import {
  deleteAnsweredRequests,
  draftOf,
  insertReview,
  type ReviewState,
  reviewById,
  type StoredReview,
  supersedeDecisions,
  updateDraft,
} from './review-store.ts'

type ReviewContext = ForgeContext<PullCaller>

/** What a review says, as a client sends it. */
interface Input {
  /** `APPROVED`, `REQUEST_CHANGES` or `COMMENT`; any other word: it stays a draft. */
  event: string
  body: string
  /** "": the newest commit of the pull request. */
  commit_id: string
  comments: Parameters<typeof placeComments>[1]
  /** The draft that must be submitted; undefined: that of the caller, if there is one. */
  draft: number | undefined
}

/** A review whose commit and lines have been found. */
interface Review {
  pull: StoredPull
  state: Decision
  body: string
  commit: string
  /** Whether the pull request, at the head that was read, makes another change than the commit. */
  isChanged: boolean
  comments: readonly PlacedComment[]
  /** Names in lower case. */
  mentioned: readonly string[]
  draft: number | undefined
}

type Decision = Exclude<ReviewState, 'request'>

const decisions: ReadonlyMap<string, Decision> = new Map([
  ['APPROVED', 'approve'],
  ['REQUEST_CHANGES', 'reject'],
  ['COMMENT', 'comment'],
])

/**
 * Begins, continues or submits the review of the caller. An account has one draft: comments are added to it, and what it
 * submits next contains it.
 * @throws Problem 403 the pull request is locked, 404, 422, 423 archived, 503
 */
export async function submitReview(
  context: ReviewContext,
  number: number,
  input: Input,
): Promise<StoredReview> {
  const { sql, caller, begin } = context
  const pull = found(await pullByNumber(sql, caller.repo.id, number))
  const state = decisions.get(input.event) ?? 'pending'
  requireAllowed(context, pull, input, state)
  const code = await openToWrite(context)
  const commit = await commitRead(code, pull, input.commit_id)
  const { merge_base: base, head_commit: head } = pull
  const review = {
    pull,
    state,
    body: input.body,
    commit,
    isChanged: commit !== head && (await isOtherChange(code, { base, head: commit }, { base, head })),
    comments: await placeComments({ code, mergeBase: base, commit }, input.comments),
    mentioned: state === 'pending' ? [] : await mentionedIn(context, [input.body]),
    draft: input.draft,
  }
  return begin((tx) => store(tx, context, review))
}

/** @throws Problem 422 */
function requireAllowed(
  { caller }: ReviewContext,
  pull: StoredPull,
  { event, body, draft, comments }: Input,
  state: Decision,
): void {
  const isOwn = pull.poster_id === caller.me.id
  if (draft !== undefined && state === 'pending') throw unprocessable('review stay pending')
  if (isOwn && state === 'approve') throw unprocessable('approve your own pull is not allowed')
  if (isOwn && state === 'reject') throw unprocessable('reject your own pull is not allowed')
  const needsBody = state === 'reject' || (state === 'pending' && comments.length === 0)
  if (needsBody && body.trim() === '')
    throw unprocessable(`review event ${event.slice(0, 64)} requires a body`)
}

/** @throws Problem 422 there is no such commit, 503 */
async function commitRead(code: Code, pull: StoredPull, id: string): Promise<string> {
  if (id === '' || id === pull.head_commit) return pull.head_commit
  const commit = gitValue(await commitOfId(code, id))
  if (commit === undefined) throw unprocessable(`there is no commit ${id.slice(0, 64)}`)
  return commit
}

async function store(tx: Tx, context: ReviewContext, review: Review): Promise<StoredReview> {
  const { caller } = context
  const { me, repo } = caller
  const { state, commit, body, comments } = review
  const issue = found(await lockIssue(tx, repo.id, review.pull.number))
  requireUnlocked(caller, issue.is_locked)
  const pull = found(await pullById(tx, issue.id))
  const decides = state === 'approve' || state === 'reject'
  if (decides && (pull.closed_at !== null || pull.merged_at !== null))
    throw unprocessable("can't submit review for a closed or merged PR")
  const draft = await draftToUse(tx, context, { issue: issue.id, draft: review.draft })
  if (state === 'comment' && body.trim() === '' && comments.length === 0 && !draft?.comments_count)
    throw unprocessable('review event COMMENT requires a body or a comment')
  const isMoved = pull.head_commit !== review.pull.head_commit
  const text = {
    state,
    // Further comments leave the text of a draft as it is.
    body: (state === 'pending' && body === '' && draft?.body) || body,
    commit_id: commit,
    is_official: decides && (await isOfficialReviewer(tx, pull, me.id)),
    is_stale: decides && (review.isChanged || (isMoved && commit !== pull.head_commit)),
  }
  const id = draft?.id ?? (await insertReview(tx, { issue: issue.id, reviewer: me.id }, text))
  if (draft) await updateDraft(tx, id, text)
  const own = { review_id: id, issue_id: issue.id, poster_id: me.id }
  if (comments.length > 0)
    await insertReviewComments(
      tx,
      comments.map((comment) => ({ ...comment, ...own })),
    )
  if (state !== 'pending') await publish(tx, context, { ...review, state }, { issue: issue.id, id })
  return found(await reviewById(tx, issue.id, id))
}

/** The draft of the caller. @throws Problem 403 it is somebody else's, 404, 422 it has been submitted already */
async function draftToUse(
  tx: Tx,
  { caller }: ReviewContext,
  { issue, draft }: { issue: number; draft: number | undefined },
): Promise<StoredReview | undefined> {
  if (draft === undefined) return draftOf(tx, issue, caller.me.id)
  const review = found(await reviewById(tx, issue, draft))
  if (review.state !== 'pending') throw unprocessable('only a pending review can be submitted')
  if (review.reviewer_id === caller.me.id) return review
  throw forbidden('only its author can submit a review')
}

const hooks = {
  approve: 'pull_request_review_approved',
  reject: 'pull_request_review_rejected',
  comment: 'pull_request_review_comment',
} as const

/** Makes a submitted review count, and tells about it. */
async function publish(
  tx: Tx,
  context: ReviewContext,
  { state, body, mentioned }: Review & { state: keyof typeof hooks },
  { issue, id }: { issue: number; id: number },
): Promise<void> {
  const { me } = context.caller
  const decides = state !== 'comment'
  await deleteAnsweredRequests(tx, { issue, reviewer: me.id, decides })
  if (decides) await supersedeDecisions(tx, { issue, reviewer: me.id, newest: id })
  await recordHappenings(tx, { issue, actor: me.id }, [{ type: 'review', subject: id, new_text: body }])
  await touchIssue(tx, issue)
  await insertMentions(tx, { issue, actor: me.id, names: mentioned })
  await emitIssueActivity(tx, { issue, actor: me.id, audience: true, names: mentioned, accounts: [] })
  await emitPullEvents(tx, context, issue, [
    {
      action: 'reviewed',
      review: { type: hooks[state], content: body },
      requested_reviewer: printUser(me, undefined, context.from.host),
    },
  ])
}
