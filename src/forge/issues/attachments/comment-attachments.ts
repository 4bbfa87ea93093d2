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
import { numberIn, numberParam } from '../../protocol/query.ts'
import type { OnRepository } from '../../repos/access.ts'
import { issueAuthor, issuesSeen } from '../../repos/issue-access.ts'
import { type ForgeContext, route } from '../../route.ts'
import { commentById } from '../comment-store.ts'
import { commentFilesToChange } from './files-to-change.ts'

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
    handler: async (context) => addedFile(context, await commentFilesToChange(context)),
  },
)

const changing = { access: issueAuthor(), params: onAttachment, fails: [404] } as const

export const issueEditIssueCommentAttachment = route(
  'PATCH /repos/{owner}/{repo}/issues/comments/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...renaming,
    summary: 'Rename a file of a comment',
    handler: async (context) => renamedFile(context, await commentFilesToChange(context)),
  },
)

export const issueDeleteIssueCommentAttachment = route(
  'DELETE /repos/{owner}/{repo}/issues/comments/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...removing,
    summary: 'Delete a file of a comment',
    handler: async (context) => removeFile(context, await commentFilesToChange(context)),
  },
)

const commentIn = async ({ caller, params, sql }: ForgeContext<OnRepository, { params: { id: string } }>) =>
  found(await commentById(sql, caller.repo.id, numberIn(params.id)))

/** @throws Problem 404 */
const holderOf = async (context: Parameters<typeof commentIn>[0]) =>
  ({ holder: { kind: 'comment', id: (await commentIn(context)).id } }) as const
