import type { Sql, Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { addressedNames } from '../../render/markdown/mentions.ts'
import { emitIssueActivity } from '../notifications/events.ts'
import { numberIn, numberParam, onIssue } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { issueAuthor, issuesSeen, requireAuthorOrWriter } from './access.ts'
import {
  commentById,
  deleteComment,
  insertComment,
  type StoredComment,
  updateComment,
} from './comment-store.ts'
import { emitCommentEvent, peopleIn, type TrackerContext } from './events.ts'
import { CreateIssueCommentOption, EditIssueCommentOption } from './issue.option.ts'
import { Comment, printComment } from './issue.shape.ts'
import { issueByNumber, lockIssue, type StoredIssue, touchIssue } from './issue-store.ts'
import { viewOf } from './issues.ts'
import { insertMentions } from './mention-store.ts'

const onComment = { id: numberParam }
/** The path of former versions; the issue number in it is ignored. */
const onCommentFormerly = { ...onIssue, id: numberParam }

const show = route('GET /repos/{owner}/{repo}/issues/comments/{id}', {
  operationId: 'issueGetComment',
  summary: 'A comment',
  access: issuesSeen(),
  params: onComment,
  returns: [200, Comment],
  handler: async ({ caller, params, sql, from }) =>
    printed(sql, found(await commentById(sql, caller.repo.id, numberIn(params.id))), caller, from.host),
})

const create = route('POST /repos/{owner}/{repo}/issues/{index}/comments', {
  operationId: 'issueCreateComment',
  summary: 'Comment on an issue',
  access: issueAuthor(),
  params: onIssue,
  body: CreateIssueCommentOption,
  returns: [201, Comment],
  handler: async (context) => {
    const { body, caller, params, sql, begin, from } = context
    const { me, repo } = caller
    const names = addressedNames(body.body)
    const comment = await begin(async (tx) => {
      const { id } = found(await lockIssue(tx, repo.id, numberIn(params.index)))
      const inserted = await insertComment(tx, { issue_id: id, poster_id: me.id, body: body.body })
      await touchIssue(tx, id)
      const stored = await readAndEmit(tx, context, inserted.id, { action: 'created' })
      await insertMentions(tx, { issue: id, actor: me.id, names })
      await emitIssueActivity(tx, { issue: id, actor: me.id, audience: true, names, accounts: [] })
      return stored
    })
    return printed(sql, comment, caller, from.host)
  },
})

const editing = { access: issueAuthor(), body: EditIssueCommentOption, returns: [200, Comment] } as const
const removing = { access: issueAuthor(), returns: [204] } as const

const edit = route('PATCH /repos/{owner}/{repo}/issues/comments/{id}', {
  operationId: 'issueEditComment',
  ...editing,
  summary: 'Change a comment',
  params: onComment,
  handler: editComment,
})

const editFormerly = route('PATCH /repos/{owner}/{repo}/issues/{index}/comments/{id}', {
  operationId: 'issueEditCommentDeprecated',
  ...editing,
  summary: 'Change a comment; use /repos/{owner}/{repo}/issues/comments/{id}',
  params: onCommentFormerly,
  deprecated: true,
  handler: editComment,
})

const remove = route('DELETE /repos/{owner}/{repo}/issues/comments/{id}', {
  operationId: 'issueDeleteComment',
  ...removing,
  summary: 'Delete a comment',
  params: onComment,
  handler: removeComment,
})

const removeFormerly = route('DELETE /repos/{owner}/{repo}/issues/{index}/comments/{id}', {
  operationId: 'issueDeleteCommentDeprecated',
  ...removing,
  summary: 'Delete a comment; use /repos/{owner}/{repo}/issues/comments/{id}',
  params: onCommentFormerly,
  deprecated: true,
  handler: removeComment,
})

export const commentRoutes = [show, create, edit, editFormerly, remove, removeFormerly]

type CommentContext = TrackerContext & { params: { id: string } }

/** @throws Problem 403, 404 */
async function editComment(context: CommentContext & { body: { body: string } }): Promise<Comment> {
  const { body, caller, sql, from } = context
  const comment = await changeLocked(context, async (tx, old) => {
    if (old.body === body.body) return old
    await updateComment(tx, old.id, body.body)
    return readAndEmit(tx, context, old.id, { action: 'edited', changes: { body: { from: old.body } } })
  })
  return printed(sql, comment, caller, from.host)
}

/** @throws Problem 403, 404 */
function removeComment(context: CommentContext): Promise<void> {
  return changeLocked(context, async (tx, old, issue) => {
    found(await deleteComment(tx, old.id))
    const issueAfter = { ...issue, comments_count: issue.comments_count - 1 }
    await emitCommentEvent(tx, context, issueAfter, old, { action: 'deleted' })
  })
}

/**
 * Locks the issue of a comment and runs `work`; the caller must be the author or may write to issues.
 * @throws Problem 403, 404
 */
function changeLocked<Result>(
  { caller, params, begin }: CommentContext,
  work: (tx: Tx, old: StoredComment, issue: StoredIssue) => Promise<Result>,
): Promise<Result> {
  const { id: repository } = caller.repo
  return begin(async (tx) => {
    const { number } = found(await commentById(tx, repository, numberIn(params.id)))
    const issue = found(await lockIssue(tx, repository, number))
    // Read again: it may have changed before the lock was taken.
    const old = found(await commentById(tx, repository, numberIn(params.id)))
    requireAuthorOrWriter(caller, old.poster_id)
    return work(tx, old, issue)
  })
}

/** Reads a comment that was just written, emits its webhook event and returns it. */
async function readAndEmit(
  tx: Tx,
  context: TrackerContext,
  id: number,
  event: Parameters<typeof emitCommentEvent>[4],
): Promise<StoredComment> {
  const { id: repository } = context.caller.repo
  const comment = found(await commentById(tx, repository, id))
  await emitCommentEvent(
    tx,
    context,
    found(await issueByNumber(tx, repository, comment.number)),
    comment,
    event,
  )
  return comment
}

async function printed(
  sql: Sql,
  comment: StoredComment,
  caller: OnRepository,
  host: string,
): Promise<Comment> {
  return printComment(comment, await peopleIn(sql, [comment]), viewOf(caller, host))
}
