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
import { onIssue } from '../../protocol/query.ts'
import { issueAuthor, issuesSeen } from '../../repos/issue-access.ts'
import { route } from '../../route.ts'
import { issueIn } from '../issue-view.ts'
import { issueFilesToChange } from './files-to-change.ts'

/** Files of issues. Adding one is an edit of the issue, as in the original. */

const onAttachment = { ...onIssue, ...attachmentParam }

export const issueListIssueAttachments = route('GET /repos/{owner}/{repo}/issues/{index}/assets', {
  ...listing,
  summary: 'Files of an issue, in the order in which they were uploaded',
  access: issuesSeen(),
  params: onIssue,
  handler: async (context) => filesOf(context, await holderOf(context)),
})

export const issueGetIssueAttachment = route(
  'GET /repos/{owner}/{repo}/issues/{index}/assets/{attachment_id}',
  {
    ...showing,
    summary: 'A file of an issue; `browser_download_url` leads to its content',
    access: issuesSeen(),
    params: onAttachment,
    handler: async (context) => fileOf(context, await holderOf(context)),
  },
)

export const issueCreateIssueAttachment = route('POST /repos/{owner}/{repo}/issues/{index}/assets', {
  ...adding,
  summary: 'Add a file to an issue: the part `attachment` of a form, or a body of any other type with `name`',
  access: issueAuthor(),
  params: onIssue,
  handler: async (context) => addedFile(context, await issueFilesToChange(context)),
})

const changing = { access: issueAuthor(), params: onAttachment, fails: [404] } as const

export const issueEditIssueAttachment = route(
  'PATCH /repos/{owner}/{repo}/issues/{index}/assets/{attachment_id}',
  {
    ...changing,
    ...renaming,
    summary: 'Rename a file of an issue',
    handler: async (context) => renamedFile(context, await issueFilesToChange(context)),
  },
)

export const issueDeleteIssueAttachment = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/assets/{attachment_id}',
  {
    ...changing,
    ...removing,
    summary: 'Delete a file of an issue',
    handler: async (context) => removeFile(context, await issueFilesToChange(context)),
  },
)

/** @throws Problem 404 */
const holderOf = async (context: Parameters<typeof issueIn>[0]) =>
  ({ holder: { kind: 'issue', id: (await issueIn(context)).id } }) as const
