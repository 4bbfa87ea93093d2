import type { Sql } from '../../db/sql.ts'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { issueDeleteIssueCommentAttachment } from '../../forge/issues/attachments/comment-attachments.ts'
import { issueDeleteIssueAttachment } from '../../forge/issues/attachments/issue-attachments.ts'
import { numberParam, onIssue, queryText } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { issueAuthor } from '../../forge/repos/issue-access.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import type { Call } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import { fileForm } from '../operations/sent-form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { editOf, type TextParams, textOf } from './edited-text.ts'
import { changeText, editorPage } from './text-editor.ts'
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

const changeOf = (params: TextParams) => ({
  read: (sql: Sql, caller: SignedInOnRepository) => textOf(sql, caller, params),
  call: (caller: SignedInOnRepository, { title = '', body = '' }: Fields): Call =>
    editOf(caller, params, params.id === undefined ? { title, body } : { body }),
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
