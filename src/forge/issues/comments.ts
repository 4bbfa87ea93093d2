import * as v from 'valibot'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { addressedNames } from '../../render/markdown/mentions.ts'
import { emitIssueActivity } from '../notifications/events.ts'
import {
  inRepo,
  nameParam,
  nextSecond,
  numberIn,
  queryMoment,
  queryText,
  wholeSecond,
} from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { issueAuthor, issuesSeen, keepAuthors } from './access.ts'
import {
  commentById,
  deleteComment,
  insertComment,
  pageOfComments,
  type StoredComment,
  updateComment,
} from './comment-store.ts'
import { peopleIn, type TrackerContext, tellOfComment } from './events.ts'
import { CreateIssueCommentOption, EditIssueCommentOption } from './issue.option.ts'
import { Comment, printComment } from './issue.shape.ts'
import { issueByNumber, lockIssue, type StoredIssue, touchIssue } from './issue-store.ts'
import { sightOf } from './issues.ts'
import { insertMentions } from './mention-store.ts'

const list = route(
  'GET /repos/{owner}/{repo}/issues/{index}/comments',
  {
    summary: 'Comments on an issue, the oldest first',
    access: issuesSeen(),
    params: { ...inRepo, index: nameParam },
    // Clients of the original ask for no pages here: there are none.
    query: { since: queryText, before: queryText, ...pageQuery(500, 500) },
    fails: [422],
    returns: [200, v.array(Comment)],
    sends: 'page',
    shared: 'until written',
  },
  async ({ caller, params, query, sql, from }) => {
    const before = queryMoment('before', query.before, unprocessable)
    const since = queryMoment('since', query.since, unprocessable)
    const time = { from: since && wholeSecond(since), until: before && nextSecond(before) }
    const issue = found(await issueByNumber(sql, caller.repo.id, numberIn(params.index)))
    const page = await pageOfComments(sql, issue.id, time, query)
    const people = await peopleIn(sql, page.rows)
    return { ...page, rows: page.rows.map((row) => printComment(row, people, sightOf(caller, from.host))) }
  },
)

const show = route(
  'GET /repos/{owner}/{repo}/issues/comments/{id}',
  {
    summary: 'A comment',
    access: issuesSeen(),
    params: { ...inRepo, id: nameParam },
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
    params: { ...inRepo, index: nameParam },
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

const edit = route(
  'PATCH /repos/{owner}/{repo}/issues/comments/{id}',
  {
    summary: 'Change a comment',
    access: issueAuthor(),
    params: { ...inRepo, id: nameParam },
    body: EditIssueCommentOption,
    returns: [200, Comment],
  },
  async (ask) => {
    const { body, caller, params, sql, from } = ask
    const comment = await changing(ask, params.id, async (tx, old) => {
      if (old.body === body.body) return old
      await updateComment(tx, old.id, body.body)
      return told(tx, ask, old.id, { action: 'edited', changes: { body: { from: old.body } } })
    })
    return printed(sql, comment, caller, from.host)
  },
)

const remove = route(
  'DELETE /repos/{owner}/{repo}/issues/comments/{id}',
  {
    summary: 'Delete a comment',
    access: issueAuthor(),
    params: { ...inRepo, id: nameParam },
    returns: [204],
  },
  async (ask) => {
    await changing(ask, ask.params.id, async (tx, old, issue) => {
      found(await deleteComment(tx, old.id))
      const left = { ...issue, comments_count: issue.comments_count - 1 }
      await tellOfComment(tx, ask, left, old, { action: 'deleted' })
    })
  },
)

export const commentRoutes = [list, show, create, edit, remove]

interface CommentContext extends TrackerContext {
  sql: Sql
  begin: Begin
}

/** Work on a comment by its author, or by who may write to the issues, while its issue is locked. @throws Problem 403, 404 */
function changing<Result>(
  { caller, begin }: CommentContext,
  given: string,
  work: (tx: Tx, old: StoredComment, issue: StoredIssue) => Promise<Result>,
): Promise<Result> {
  const { id: repository } = caller.repo
  return begin(async (tx) => {
    const { number } = found(await commentById(tx, repository, numberIn(given)))
    const issue = found(await lockIssue(tx, repository, number))
    // Read anew: it may have been changed before the lock.
    const old = found(await commentById(tx, repository, numberIn(given)))
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
