import type { Sql } from '../../db/sql.ts'
import { attachmentsOf } from '../../forge/attachments/attachment-store.ts'
import { commentById } from '../../forge/issues/comment-store.ts'
import { issueEditComment } from '../../forge/issues/comments.ts'
import { issueByNumber } from '../../forge/issues/issue-store.ts'
import { issueEditIssue } from '../../forge/issues/issues.ts'
import { numberIn } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { requireAuthorOrWriter } from '../../forge/repos/issue-access.ts'
import { found } from '../../http/route/problem.ts'
import type { Call } from '../operations/form.ts'
import { segmentOf } from './issue-context.ts'
import type { EditedText } from './text-editor.ts'

/** Which text: that of an issue or pull request, or with an `id` that of a comment on it. */
export interface TextParams {
  index: string
  id?: string
}

/** The text of an issue, or of a comment on it. @throws Problem 403 the caller may not change it, 404 */
export async function textOf(
  sql: Sql,
  caller: SignedInOnRepository,
  { index, id }: TextParams,
): Promise<EditedText> {
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

/** The call that changes such a text. */
export function editOf(
  { repo }: SignedInOnRepository,
  { index, id }: TextParams,
  body: { title?: string; body: string },
): Call {
  const on = { owner: repo.owner.name, repo: repo.name }
  return id === undefined
    ? [issueEditIssue, { params: { ...on, index }, body }]
    : [issueEditComment, { params: { ...on, id }, body }]
}
