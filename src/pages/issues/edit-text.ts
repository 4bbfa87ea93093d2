import type { Sql } from '../../db/sql.ts'
import { attachmentsOf } from '../../forge/attachments/attachment-store.ts'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { issueDeleteIssueCommentAttachment } from '../../forge/issues/attachments/comment-attachments.ts'
import { issueDeleteIssueAttachment } from '../../forge/issues/attachments/issue-attachments.ts'
import { commentById } from '../../forge/issues/comment-store.ts'
import { issueEditComment } from '../../forge/issues/comments.ts'
import { issueByNumber } from '../../forge/issues/issue-store.ts'
import { issueEditIssue } from '../../forge/issues/issues.ts'
import { numberIn, numberParam, onIssue, queryText } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { issueAuthor, requireAuthorOrWriter } from '../../forge/repos/issue-access.ts'
import { found } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import type { Call } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import { fileForm } from '../operations/sent-form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { segmentOf } from './issue-context.ts'
import { changeText, type EditedText, editorPage } from './text-editor.ts'
import { filesOfText, textFileLimits } from './text-files.ts'

// Pages that change the text of an issue or of a comment.

const shown = {
  access: orSignIn(issueAuthor()),
  query: { done: queryText },
  fails: [404],
  returns: textAs(200, htmlType),
} as const
const form = fileForm(issueAuthor(), textFileLimits)
const sent = { ...form, fails: [404], also: [200, ...form.also] } as const
const onComment = { ...onIssue, id: numberParam }

export const getIssueEditPage = route('GET /{owner}/{repo}/issues/{index}/edit', {
  ...shown,
  summary: 'The form that changes the title and the text of an issue',
  params: onIssue,
  handler: async ({ params, query, ...context }) =>
    editorPage(context, await textOf(context.sql, context.caller, params), { done: notices[query.done] }),
})

export const editIssueByPage = route('POST /{owner}/{repo}/issues/{index}/edit', {
  ...sent,
  summary:
    'Change the title and the text of an issue, add or delete files, or show the text before it is sent',
  params: onIssue,
  handler: (context) => changeText(context, changeOf(context.params)),
})

export const getCommentEditPage = route('GET /{owner}/{repo}/issues/{index}/comments/{id}/edit', {
  ...shown,
  summary: 'The form that changes a comment',
  params: onComment,
  handler: async ({ params, query, ...context }) =>
    editorPage(context, await textOf(context.sql, context.caller, params), { done: notices[query.done] }),
})

export const editCommentByPage = route('POST /{owner}/{repo}/issues/{index}/comments/{id}/edit', {
  ...sent,
  summary: 'Change a comment, add or delete files, or show it before it is sent',
  params: onComment,
  handler: (context) => changeText(context, changeOf(context.params)),
})

const notices: Readonly<Record<string, string>> = { 'file-deleted': 'The file was deleted.' }

type Params = { index: string; id?: string }

/** The text of an issue, or of a comment on it. @throws Problem 403 the caller may not change it, 404 */
async function textOf(sql: Sql, caller: SignedInOnRepository, { index, id }: Params): Promise<EditedText> {
  const { id: repository, owner, name } = caller.repo
  const issue = found(await issueByNumber(sql, repository, numberIn(index)))
  const comment = id === undefined ? undefined : found(await commentById(sql, repository, numberIn(id)))
  requireAuthorOrWriter(caller, (comment ?? issue).poster_id)
  // A comment on another issue has no page below this one.
  found(comment && comment.issue_id !== issue.id ? undefined : issue)
  const { number, is_pull } = issue
  const path = `${owner.name}/${name}`
  const page = `${path}/${segmentOf(issue)}/${number}`
  // Texts of both are changed alike.
  const texts = `${path}/issues/${number}`
  if (comment)
    return {
      ...{ noun: 'comment', title: undefined, body: comment.body, number, is_pull },
      form: `${texts}/comments/${comment.id}/edit`,
      files: await attachmentsOf(sql, { kind: 'comment', id: comment.id }),
      page: `${page}#issuecomment-${comment.id}`,
    }
  const noun = is_pull ? 'pull request' : 'issue'
  const files = await attachmentsOf(sql, { kind: 'issue', id: issue.id })
  return { noun, title: issue.title, body: issue.body, number, is_pull, form: `${texts}/edit`, page, files }
}

const changeOf = (params: Params) => ({
  read: (sql: Sql, caller: SignedInOnRepository) => textOf(sql, caller, params),
  call: ({ repo }: SignedInOnRepository, { title = '', body = '' }: Fields): Call => {
    const on = { owner: repo.owner.name, repo: repo.name }
    return params.id === undefined
      ? [issueEditIssue, { params: { ...on, index: params.index }, body: { title, body } }]
      : [issueEditComment, { params: { ...on, id: params.id }, body: { body } }]
  },
  files: {
    deletion: ({ repo }: SignedInOnRepository, attachment_id: string): Call => {
      const on = { owner: repo.owner.name, repo: repo.name, attachment_id }
      return params.id === undefined
        ? [issueDeleteIssueAttachment, { params: { ...on, index: params.index } }]
        : [issueDeleteIssueCommentAttachment, { params: { ...on, id: params.id } }]
    },
    added: (caller: SignedInOnRepository & OnRequest, files: readonly ArrivedFile[]) =>
      filesOfText(caller, files, params),
  },
})
