import type { Sql } from '../../db/sql.ts'
import { numberIn, numberParam, onIssue } from '../../forge/protocol/query.ts'
import { pullAuthor } from '../../forge/pulls/access.ts'
import { editPullReviewComment } from '../../forge/pulls/reviews/comment-changes.ts'
import { reviewCommentById } from '../../forge/pulls/reviews/review-comment-store.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { requireAuthorOrWriter } from '../../forge/repos/issue-access.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import { changeText, type EditedText, editorPage } from '../issues/text-editor.ts'
import { type Call, operationForm } from '../operations/form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'

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
    editorPage(context, await textOf(context.sql, context.caller, params)),
})

export const editReviewCommentByPage = route('POST /{owner}/{repo}/pulls/{index}/comments/{id}/edit', {
  ...form,
  summary: 'Change a comment on a line, or show it before it is sent',
  params: onComment,
  fails: [404],
  also: [200, ...form.also],
  handler: (context) =>
    changeText(context, {
      read: (sql, caller) => textOf(sql, caller, context.params),
      call: ({ repo }, { body = '' }: Fields): Call => {
        const params = { owner: repo.owner.name, repo: repo.name, id: context.params.id }
        return [editPullReviewComment, { params, body: { body } }]
      },
    }),
})

/** @throws Problem 403 the caller may not change it, 404 also if it is somebody else's draft */
async function textOf(
  sql: Sql,
  caller: SignedInOnRepository,
  { index, id }: { index: string; id: string },
): Promise<EditedText> {
  const { repo, me } = caller
  const comment = found(await reviewCommentById(sql, repo.id, numberIn(id)))
  const { body, number, is_draft, poster_id } = comment
  if (number !== numberIn(index) || (is_draft && poster_id !== me.id)) throw notFound()
  requireAuthorOrWriter(caller, poster_id)
  const path = `${repo.owner.name}/${repo.name}/pulls/${number}`
  return {
    ...{ noun: 'comment', title: undefined, body, number, is_pull: true },
    form: `${path}/comments/${comment.id}/edit`,
    page: `${path}/files#issuecomment-${comment.id}`,
  }
}
