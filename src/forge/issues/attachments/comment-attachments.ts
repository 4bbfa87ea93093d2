import { found } from '../../../http/route/problem.ts'
import {
  addedFile,
  adding,
  attachmentParam,
  fileOf,
  filesOf,
  listing,
  removeFile,
  removing,
  renamedFile,
  renaming,
  showing,
} from '../../attachments/operations.ts'
import type { ChangedHolder } from '../../attachments/upload.ts'
import { numberIn, numberParam } from '../../protocol/query.ts'
import type { OnRepository } from '../../repos/access.ts'
import { issueAuthor, issuesSeen, requireAuthorOrWriter } from '../../repos/issue-access.ts'
import { type ForgeContext, route } from '../../route.ts'
import { type CommentContext, emitChangedComment, lockComment } from '../comment-changes.ts'
import { commentById, updateComment } from '../comment-store.ts'
import { requireIssueFileType } from './issue-files.ts'

/** Files of comments. Adding one is an edit of the comment, as in the original. */

const onComment = { id: numberParam }
const onAttachment = { ...onComment, ...attachmentParam }

export const issueListIssueCommentAttachments = route(
  'GET /repos/{owner}/{repo}/issues/comments/{id}/assets',
  {
    ...listing,
    summary: 'Files of a comment, in the order in which they were uploaded',
    access: issuesSeen(),
    params: onComment,
    handler: async (context) => filesOf(context, await holderOf(context)),
  },
)

export const issueGetIssueCommentAttachment = route(
  'GET /repos/{owner}/{repo}/issues/comments/{id}/assets/{attachment_id}',
  {
    ...showing,
    summary: 'A file of a comment; `browser_download_url` leads to its content',
    access: issuesSeen(),
    params: onAttachment,
    handler: async (context) => fileOf(context, await holderOf(context)),
  },
)

export const issueCreateIssueCommentAttachment = route(
  'POST /repos/{owner}/{repo}/issues/comments/{id}/assets',
  {
    ...adding,
    summary:
      'Add a file to a comment: the part `attachment` of a form, or a body of any other type with `name`',
    access: issueAuthor(),
    params: onComment,
    handler: async (context) => addedFile(context, await toChange(context)),
  },
)

const changing = { access: issueAuthor(), params: onAttachment, fails: [404] } as const

export const issueEditIssueCommentAttachment = route(
  'PATCH /repos/{owner}/{repo}/issues/comments/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...renaming,
    summary: 'Rename a file of a comment',
    handler: async (context) => renamedFile(context, await toChange(context)),
  },
)

export const issueDeleteIssueCommentAttachment = route(
  'DELETE /repos/{owner}/{repo}/issues/comments/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...removing,
    summary: 'Delete a file of a comment',
    handler: async (context) => removeFile(context, await toChange(context)),
  },
)

const commentIn = async ({ caller, params, sql }: ForgeContext<OnRepository, { params: { id: string } }>) =>
  found(await commentById(sql, caller.repo.id, numberIn(params.id)))

/** @throws Problem 404 */
const holderOf = async (context: Parameters<typeof commentIn>[0]) =>
  ({ holder: { kind: 'comment', id: (await commentIn(context)).id } }) as const

/** @throws Problem 403, 404 */
async function toChange(context: CommentContext): Promise<ChangedHolder> {
  const { caller, tools } = context
  const { id, number, poster_id } = await commentIn(context)
  requireAuthorOrWriter(caller, poster_id)
  return {
    holder: { kind: 'comment', id },
    name: `${caller.repo.owner.name}/${caller.repo.name}#${number}/comments/${id}`,
    maximum: tools.uploadLimits.issue,
    requireType: requireIssueFileType,
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
