import type { Sql } from '../../db/sql.ts'
import { numberIn } from '../../forge/protocol/query.ts'
import { editPullReviewComment } from '../../forge/pulls/reviews/comment-changes.ts'
import { reviewCommentById } from '../../forge/pulls/reviews/review-comment-store.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { requireAuthorOrWriter } from '../../forge/repos/issue-access.ts'
import { found, notFound } from '../../http/route/problem.ts'
import type { EditedText } from '../issues/text-editor.ts'
import type { Call } from '../operations/form.ts'

/** The text of a comment on a line. @throws Problem 403 the caller may not change it, 404 also if it is somebody else's draft */
export async function reviewTextOf(
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

/** The call that changes it. */
export const editOfReviewText = ({ repo }: SignedInOnRepository, id: string, body: string): Call => [
  editPullReviewComment,
  { params: { owner: repo.owner.name, repo: repo.name, id }, body: { body } },
]
