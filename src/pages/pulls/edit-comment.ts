import { numberParam, onIssue } from '../../forge/protocol/query.ts'
import { pullAuthor } from '../../forge/pulls/access.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import { changeText, editorPage } from '../issues/text-editor.ts'
import { operationForm } from '../operations/form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { editOfReviewText, reviewTextOf } from './review-text.ts'

// The page that changes a comment on a line.

const onComment = { ...onIssue, id: numberParam }
const form = operationForm(pullAuthor())

export const getReviewCommentEditPage = route('GET /{owner}/{repo}/pulls/{index}/comments/{id}/edit', {
  summary: 'The form that changes a comment on a line',
  access: orSignIn(pullAuthor()),
  params: onComment,
  fails: [404],
  returns: textAs(200, htmlType),
  handler: async ({ params, ...context }) =>
    editorPage(context, await reviewTextOf(context.sql, context.caller, params)),
})

export const editReviewCommentByPage = route('POST /{owner}/{repo}/pulls/{index}/comments/{id}/edit', {
  ...form,
  summary: 'Change a comment on a line, or show it before it is sent',
  params: onComment,
  fails: [404],
  also: [200, ...form.also],
  handler: (context) =>
    changeText(context, {
      read: (sql, caller) => reviewTextOf(sql, caller, context.params),
      call: (caller, { body = '' }: Fields) => editOfReviewText(caller, context.params.id, body),
    }),
})
