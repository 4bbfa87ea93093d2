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
} from '../attachments/operations.ts'
import { numberParam } from '../protocol/query.ts'
import { releasesSeen, releasesWritten } from '../repos/access.ts'
import { route } from '../route.ts'
import { filesOfRelease, filesToChange } from './release-files.ts'

/** Files of releases. */

const onRelease = { id: numberParam }
const onAttachment = { ...onRelease, ...attachmentParam }

export const repoListReleaseAttachments = route('GET /repos/{owner}/{repo}/releases/{id}/assets', {
  ...listing,
  summary: 'Files of a release, in the order in which they were uploaded',
  access: releasesSeen(),
  params: onRelease,
  handler: async (context) => filesOf(context, await filesOfRelease(context)),
})

export const repoGetReleaseAttachment = route(
  'GET /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    ...showing,
    summary: 'A file of a release; `browser_download_url` leads to its content',
    access: releasesSeen(),
    params: onAttachment,
    handler: async (context) => fileOf(context, await filesOfRelease(context)),
  },
)

export const repoCreateReleaseAttachment = route('POST /repos/{owner}/{repo}/releases/{id}/assets', {
  ...adding,
  summary:
    'Add a file to a release: the part `attachment` of a form, or a body of any other type with `name`',
  access: releasesWritten(),
  params: onRelease,
  handler: async (context) => addedFile(context, await filesToChange(context)),
})

const changing = { access: releasesWritten(), params: onAttachment, fails: [404, 423] } as const

export const repoEditReleaseAttachment = route(
  'PATCH /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...renaming,
    summary: 'Rename a file of a release',
    handler: async (context) => renamedFile(context, await filesToChange(context)),
  },
)

export const repoDeleteReleaseAttachment = route(
  'DELETE /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...removing,
    summary: 'Delete a file of a release',
    handler: async (context) => removeFile(context, await filesToChange(context)),
  },
)
