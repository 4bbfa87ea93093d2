import { found } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { EditAttachmentOptions } from '../attachments/attachment.option.ts'
import { Attachment } from '../attachments/attachment.shape.ts'
import {
  addedFile,
  adding,
  attachmentParam,
  fileOf,
  filesOf,
  listing,
  removeFile,
  renamedFile,
} from '../attachments/operations.ts'
import type { ChangedHolder } from '../attachments/upload.ts'
import { numberParam } from '../protocol/query.ts'
import { releasesSeen, releasesWritten, type SignedInOnRepository } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import { releaseIn, releaseToChange } from './access.ts'
import { holdRelease } from './release-store.ts'

/** Files of releases. */

const onRelease = { id: numberParam }
const onAttachment = { ...onRelease, ...attachmentParam }

export const repoListReleaseAttachments = route('GET /repos/{owner}/{repo}/releases/{id}/assets', {
  ...listing,
  summary: 'Files of a release, in the order in which they were uploaded',
  access: releasesSeen(),
  params: onRelease,
  handler: async (context) => filesOf(context, await holderOf(context)),
})

export const repoGetReleaseAttachment = route(
  'GET /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    summary: 'A file of a release; `browser_download_url` leads to its content',
    access: releasesSeen(),
    params: onAttachment,
    fails: [404],
    returns: json(200, Attachment),
    handler: async (context) => fileOf(context, await holderOf(context)),
  },
)

export const repoCreateReleaseAttachment = route('POST /repos/{owner}/{repo}/releases/{id}/assets', {
  ...adding,
  summary:
    'Add a file to a release: the part `attachment` of a form, or a body of any other type with `name`',
  access: releasesWritten(),
  params: onRelease,
  handler: async (context) => addedFile(context, await toChange(context)),
})

export const repoEditReleaseAttachment = route(
  'PATCH /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    summary: 'Rename a file of a release',
    access: releasesWritten(),
    params: onAttachment,
    body: EditAttachmentOptions,
    fails: [404, 423],
    returns: json(201, Attachment),
    handler: async (context) => renamedFile(context, await toChange(context)),
  },
)

export const repoDeleteReleaseAttachment = route(
  'DELETE /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    summary: 'Delete a file of a release',
    access: releasesWritten(),
    params: onAttachment,
    fails: [404, 423],
    returns: noBody(204),
    handler: async (context) => removeFile(context, await toChange(context)),
  },
)

/** @throws Problem 404 */
async function holderOf(context: Parameters<typeof releaseIn>[0]) {
  const { id } = await releaseIn(context)
  return { kind: 'release', id } as const
}

/** @throws Problem 404, 423 */
async function toChange(
  context: ForgeContext<SignedInOnRepository, { params: { id: string } }>,
): Promise<ChangedHolder> {
  const { id, tag_name } = await releaseToChange(context)
  const { repo } = context.caller
  return {
    holder: { kind: 'release', id },
    name: `${repo.owner.name}/${repo.name}/${tag_name}`,
    maximum: context.tools.uploadLimits.release,
    requireType: () => {},
    add: async (tx, insert) => {
      found((await holdRelease(tx, id)) || undefined)
      return insert()
    },
  }
}
