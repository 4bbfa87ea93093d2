import type { Begin, Sql, Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { addressedNames } from '../../render/markdown/mentions.ts'
import { emitIssueActivity } from '../notifications/events.ts'
import { inRepo, nameParam, numberIn, onIssue } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { issueAuthor, issuesSeen, keepAuthors } from './access.ts'
import {
  commentById,
  deleteComment,
  insertComment,
  type StoredComment,
  updateComment,
} from './comment-store.ts'
import { peopleIn, type TrackerContext, tellOfComment } from './events.ts'
import { CreateIssueCommentOption, EditIssueCommentOption } from './issue.option.ts'
import { Comment, printComment } from './issue.shape.ts'
import { issueByNumber, lockIssue, type StoredIssue, touchIssue } from './issue-store.ts'
import { sightOf } from './issues.ts'
import { insertMentions } from './mention-store.ts'

const onComment = { ...inRepo, id: nameParam }
/** The path of former versions, in which the number of the issue means nothing. */
const onCommentFormerly = { ...onIssue, id: nameParam }

const show = route(
  'GET /repos/{owner}/{repo}/issues/comments/{id}',
  {
    summary: 'A comment',
    access: issuesSeen(),
    params: onComment,
    returns: [200, Comment],
  },
  async ({ caller, params, sql, from }) =>
    printed(sql, found(await commentById(sql, caller.repo.id, numberIn(params.id))), caller, from.host),
)

const create = route(
  'POST /repos/{owner}/{repo}/issues/{index}/comments',
  {
    summary: 'Comment on an issue',
    access: issueAuthor(),
    params: onIssue,
    body: CreateIssueCommentOption,
    returns: [201, Comment],
  },
  async (ask) => {
    const { body, caller, params, sql, begin, from } = ask
    const { me, repo } = caller
    const names = addressedNames(body.body)
    const comment = await begin(async (tx) => {
      const { id } = found(await lockIssue(tx, repo.id, numberIn(params.index)))
      const made = await insertComment(tx, { issue_id: id, poster_id: me.id, body: body.body })
      await touchIssue(tx, id)
      const written = await told(tx, ask, made.id, { action: 'created' })
      await insertMentions(tx, { issue: id, actor: me.id, names })
      await emitIssueActivity(tx, { issue: id, actor: me.id, audience: true, names, accounts: [] })
      return written
    })
    return printed(sql, comment, caller, from.host)
  },
)

const editing = { access: issueAuthor(), body: EditIssueCommentOption, returns: [200, Comment] } as const
const removing = { access: issueAuthor(), returns: [204] } as const

const edit = route(
  'PATCH /repos/{owner}/{repo}/issues/comments/{id}',
  { ...editing, summary: 'Change a comment', params: onComment },
  (ask) => editComment(ask),
)

const editFormerly = route(
  'PATCH /repos/{owner}/{repo}/issues/{index}/comments/{id}',
  {
    ...editing,
    summary: 'Change a comment; use /repos/{owner}/{repo}/issues/comments/{id}',
    params: onCommentFormerly,
    deprecated: true,
  },
  (ask) => editComment(ask),
)

const remove = route(
  'DELETE /repos/{owner}/{repo}/issues/comments/{id}',
  { ...removing, summary: 'Delete a comment', params: onComment },
  (ask) => removeComment(ask),
)

const removeFormerly = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/comments/{id}',
  {
    ...removing,
    summary: 'Delete a comment; use /repos/{owner}/{repo}/issues/comments/{id}',
    params: onCommentFormerly,
    deprecated: true,
  },
  (ask) => removeComment(ask),
)

export const commentRoutes = [show, create, edit, editFormerly, remove, removeFormerly]

interface CommentContext extends TrackerContext {
  params: { id: string }
  sql: Sql
  begin: Begin
}

/** @throws Problem 403, 404 */
async function editComment(ask: CommentContext & { body: { body: string } }): Promise<Comment> {
  const { body, caller, sql, from } = ask
  const comment = await changing(ask, async (tx, old) => {
    if (old.body === body.body) return old
    await updateComment(tx, old.id, body.body)
    return told(tx, ask, old.id, { action: 'edited', changes: { body: { from: old.body } } })
  })
  return printed(sql, comment, caller, from.host)
}

/** @throws Problem 403, 404 */
function removeComment(ask: CommentContext): Promise<void> {
  return changing(ask, async (tx, old, issue) => {
    found(await deleteComment(tx, old.id))
    const left = { ...issue, comments_count: issue.comments_count - 1 }
    await tellOfComment(tx, ask, left, old, { action: 'deleted' })
  })
}

/** Work on a comment by its author, or by who may write to the issues, while its issue is locked. @throws Problem 403, 404 */
function changing<Result>(
  { caller, params, begin }: CommentContext,
  work: (tx: Tx, old: StoredComment, issue: StoredIssue) => Promise<Result>,
): Promise<Result> {
  const { id: repository } = caller.repo
  return begin(async (tx) => {
    const { number } = found(await commentById(tx, repository, numberIn(params.id)))
    const issue = found(await lockIssue(tx, repository, number))
    // Read anew: it may have been changed before the lock.
    const old = found(await commentById(tx, repository, numberIn(params.id)))
    keepAuthors(caller, old.poster_id)
    return work(tx, old, issue)
  })
}

/** Tells the hooks of a comment that was written just now, and gives it. */
async function told(
  tx: Tx,
  ask: TrackerContext,
  id: number,
  news: Parameters<typeof tellOfComment>[4],
): Promise<StoredComment> {
  const { id: repository } = ask.caller.repo
  const comment = found(await commentById(tx, repository, id))
  await tellOfComment(tx, ask, found(await issueByNumber(tx, repository, comment.number)), comment, news)
  return comment
}

async function printed(
  sql: Sql,
  comment: StoredComment,
  caller: OnRepository,
  host: string,
): Promise<Comment> {
  return printComment(comment, await peopleIn(sql, [comment]), sightOf(caller, host))
}
