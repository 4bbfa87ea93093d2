import { mapPage, type Page } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { numberIn, numberParam, onIssue, queryTime } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { issueAuthor, issuesSeen, requireUnlocked } from '../repos/issue-access.ts'
import { type ForgeContext, route } from '../route.ts'
import { emitIssueActivity } from '../watching/events.ts'
import { type CommentContext, emitChangedComment, lockComment } from './comment-changes.ts'
import {
  commentById,
  deleteComment,
  insertComment,
  pageOfComments,
  pageOfRepositoryComments,
  type StoredComment,
  updateComment,
} from './comment-store.ts'
import { emitCommentEvent, issueTarget } from './events.ts'
import { CreateIssueCommentOption, EditIssueCommentOption } from './issue.option.ts'
import { Comment, printComment } from './issue.shape.ts'
import { timeOf } from './issue-filter.ts'
import { lockIssue, touchIssue } from './issue-store.ts'
import { issueIn, viewOf } from './issue-view.ts'
import { insertMentions } from './mention-store.ts'
import { mentionedIn } from './mentions.ts'
import { peopleIn } from './people.ts'

const onComment = { id: numberParam }
/** The deprecated path; the issue number in it is ignored. */
const onCommentDeprecated = { ...onIssue, id: numberParam }

const listing = {
  access: issuesSeen(),
  ...pagesOf(Comment),
  fails: [422],
} as const

export const issueGetComments = route('GET /repos/{owner}/{repo}/issues/{index}/comments', {
  ...listing,
  summary: 'Comments on an issue, the oldest first',
  params: onIssue,
  // Gitea has no pages here and its clients send none: the default is the largest page.
  query: { since: queryTime, before: queryTime, ...pageQuery(500, 500) },
  handler: async (context) => {
    const { query, sql } = context
    const time = timeOf(query)
    const issue = await issueIn(context)
    return printedPage(context, await pageOfComments(sql, issue.id, time, query))
  },
})

export const issueGetRepoComments = route('GET /repos/{owner}/{repo}/issues/comments', {
  ...listing,
  summary: 'Comments on all issues of a repository, the oldest first',
  query: { since: queryTime, before: queryTime, ...pageQuery() },
  handler: async (context) => {
    const { caller, query, sql } = context
    return printedPage(context, await pageOfRepositoryComments(sql, caller.repo.id, timeOf(query), query))
  },
})

export const issueGetComment = route('GET /repos/{owner}/{repo}/issues/comments/{id}', {
  summary: 'A comment',
  access: issuesSeen(),
  params: onComment,
  returns: json(200, Comment),
  handler: async (context) => {
    const { caller, params, sql } = context
    return printed(context, found(await commentById(sql, caller.repo.id, numberIn(params.id))))
  },
})

export const issueCreateComment = route('POST /repos/{owner}/{repo}/issues/{index}/comments', {
  summary: 'Comment on an issue',
  access: issueAuthor(),
  params: onIssue,
  body: CreateIssueCommentOption,
  returns: json(201, Comment),
  handler: async (context) => {
    const { body, caller, params, begin } = context
    const { me, repo } = caller
    const names = await mentionedIn(context, [body.body])
    const comment = await begin(async (tx) => {
      const { id, is_locked } = found(await lockIssue(tx, repo.id, numberIn(params.index)))
      requireUnlocked(caller, is_locked)
      const inserted = await insertComment(tx, { issue_id: id, poster_id: me.id, body: body.body })
      await touchIssue(tx, id)
      const stored = await emitChangedComment(tx, context, inserted.id, { action: 'created' })
      await insertMentions(tx, { issue: id, actor: me.id, names })
      await emitIssueActivity(tx, { issue: id, actor: me.id, audience: true, names, accounts: [] })
      return stored
    })
    return printed(context, comment)
  },
})

const editing = { access: issueAuthor(), body: EditIssueCommentOption, returns: json(200, Comment) } as const
const removing = { access: issueAuthor(), returns: noBody(204) } as const

export const issueEditComment = route('PATCH /repos/{owner}/{repo}/issues/comments/{id}', {
  ...editing,
  summary: 'Change a comment',
  params: onComment,
  handler: editComment,
})

export const issueEditCommentDeprecated = route('PATCH /repos/{owner}/{repo}/issues/{index}/comments/{id}', {
  ...editing,
  summary: 'Change a comment; use /repos/{owner}/{repo}/issues/comments/{id}',
  params: onCommentDeprecated,
  deprecated: true,
  handler: editComment,
})

export const issueDeleteComment = route('DELETE /repos/{owner}/{repo}/issues/comments/{id}', {
  ...removing,
  summary: 'Delete a comment',
  params: onComment,
  handler: removeComment,
})

export const issueDeleteCommentDeprecated = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/comments/{id}',
  {
    ...removing,
    summary: 'Delete a comment; use /repos/{owner}/{repo}/issues/comments/{id}',
    params: onCommentDeprecated,
    deprecated: true,
    handler: removeComment,
  },
)

/** @throws Problem 403, 404 */
async function editComment(context: CommentContext & { body: { body: string } }): Promise<Comment> {
  const { body } = context.body
  const comment = await context.begin(async (tx) => {
    const { comment: old } = await lockComment(tx, context)
    if (old.body === body) return old
    await updateComment(tx, old.id, body)
    return emitChangedComment(tx, context, old.id, {
      action: 'edited',
      changes: { body: { from: old.body } },
    })
  })
  return printed(context, comment)
}

/** @throws Problem 403, 404 */
function removeComment(context: CommentContext): Promise<void> {
  return context.begin(async (tx) => {
    const { comment, issue } = await lockComment(tx, context)
    found(await deleteComment(tx, comment.id))
    const details = { comment: comment.id }
    await record(tx, context, { action: 'comment.deleted', target: issueTarget(context, issue), details })
    const issueAfter = { ...issue, comments_count: issue.comments_count - 1 }
    await emitCommentEvent(tx, context, issueAfter, comment, { action: 'deleted' })
  })
}

const printed = async (context: ForgeContext<OnRepository>, comment: StoredComment): Promise<Comment> =>
  (await printerFor(context, [comment]))(comment)

const printedPage = async (context: ForgeContext<OnRepository>, page: Page<StoredComment>) =>
  mapPage(page, await printerFor(context, page.rows))

/** Returns the function that prints these comments for the caller. */
async function printerFor(
  { sql, caller, from }: ForgeContext<OnRepository>,
  rows: readonly StoredComment[],
): Promise<(comment: StoredComment) => Comment> {
  const people = await peopleIn(sql, rows)
  return (comment) => printComment(comment, people, viewOf(caller, from.host))
}
