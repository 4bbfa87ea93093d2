import { found } from '../../../http/route/problem.ts'
import type { ChangedHolder } from '../../attachments/upload.ts'
import { numberIn } from '../../protocol/query.ts'
import { requireAuthorOrWriter } from '../../repos/issue-access.ts'
import type { ForgeContext } from '../../route.ts'
import { type CommentContext, emitChangedComment, lockComment } from '../comment-changes.ts'
import { commentById, updateComment } from '../comment-store.ts'
import { emitIssueEvents, type TrackerContext } from '../events.ts'
import { issueByNumber, lockIssue, touchIssue } from '../issue-store.ts'
import { issueIn } from '../issue-view.ts'
import { requireIssueFileType } from './issue-files.ts'

// The files of issues and of comments, as the API and pages change them. Adding files is an edit, as in the original.

/** Those of the issue `{index}`. @throws Problem 403, 404 */
export async function issueFilesToChange(
  context: TrackerContext & ForgeContext<unknown, { params: { index: string } }>,
): Promise<ChangedHolder> {
  const { caller, tools } = context
  const { repo } = caller
  const { id, number, poster_id } = await issueIn(context)
  requireAuthorOrWriter(caller, poster_id)
  return {
    holder: { kind: 'issue', id },
    name: `${repo.owner.name}/${repo.name}#${number}`,
    maximum: tools.uploadLimits.issue,
    requireType: requireIssueFileType,
    again: (caller) => issueFilesToChange({ ...context, caller }),
    add: async (tx, insert) => {
      const { body } = found(await lockIssue(tx, repo.id, number))
      const row = await insert()
      await touchIssue(tx, id)
      const edit = { action: 'edited', changes: { body: { from: body } } } as const
      await emitIssueEvents(tx, context, found(await issueByNumber(tx, repo.id, number)), [edit])
      return row
    },
  }
}

/** Those of the comment `{id}`. @throws Problem 403, 404 */
export async function commentFilesToChange(context: CommentContext): Promise<ChangedHolder> {
  const { caller, params, sql, tools } = context
  const { repo } = caller
  const { id, number, poster_id } = found(await commentById(sql, repo.id, numberIn(params.id)))
  requireAuthorOrWriter(caller, poster_id)
  return {
    holder: { kind: 'comment', id },
    name: `${repo.owner.name}/${repo.name}#${number}/comments/${id}`,
    maximum: tools.uploadLimits.issue,
    requireType: requireIssueFileType,
    again: (caller) => commentFilesToChange({ ...context, caller }),
    add: async (tx, insert) => {
      const { comment } = await lockComment(tx, context)
      const row = await insert()
      await updateComment(tx, id, comment.body)
      await emitChangedComment(tx, context, id, {
        action: 'edited',
        changes: { body: { from: comment.body } },
      })
      return row
    },
  }
}
