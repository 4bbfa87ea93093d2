import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { numberIn } from '../protocol/query.ts'
import { requireAuthorOrWriter } from '../repos/issue-access.ts'
import { commentById, type StoredComment } from './comment-store.ts'
import { emitCommentEvent, type TrackerContext } from './events.ts'
import { issueByNumber, lockIssue, type StoredIssue } from './issue-store.ts'

/** A request about the comment `{id}`. */
export type CommentContext = TrackerContext & { params: { id: string } }

/**
 * Locks the issue of a comment; the caller must be the author or may write to issues.
 * @throws Problem 403, 404
 */
export async function lockComment(
  tx: Tx,
  { caller, params }: CommentContext,
): Promise<{ comment: StoredComment; issue: StoredIssue }> {
  const { id: repository } = caller.repo
  const { number } = found(await commentById(tx, repository, numberIn(params.id)))
  const issue = found(await lockIssue(tx, repository, number))
  // Read again: it may have changed before the lock was taken.
  const comment = found(await commentById(tx, repository, numberIn(params.id)))
  requireAuthorOrWriter(caller, comment.poster_id)
  return { comment, issue }
}

/** Reads a comment that was just written, emits its webhook event and returns it. */
export async function emitChangedComment(
  tx: Tx,
  context: TrackerContext,
  id: number,
  event: Parameters<typeof emitCommentEvent>[4],
): Promise<StoredComment> {
  const { id: repository } = context.caller.repo
  const comment = found(await commentById(tx, repository, id))
  const issue = found(await issueByNumber(tx, repository, comment.number))
  await emitCommentEvent(tx, context, issue, comment, event)
  return comment
}
