import { notFound } from '../../http/route/problem.ts'
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
import type { ChangedHolder, HeldFiles } from '../attachments/upload.ts'
import { numberParam } from '../protocol/query.ts'
import {
  type OnRepository,
  releasesSeen,
  releasesWritten,
  type SignedInOnRepository,
} from '../repos/access.ts'
import { holdRelease, type StoredRelease } from '../repos/release-store.ts'
import { type ForgeContext, route } from '../route.ts'
import { releaseIn, releaseToChange } from './access.ts'
import { downloadsOf } from './release.shape.ts'

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
    ...showing,
    summary: 'A file of a release; `browser_download_url` leads to its content',
    access: releasesSeen(),
    params: onAttachment,
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

const changing = { access: releasesWritten(), params: onAttachment, fails: [404, 423] } as const

export const repoEditReleaseAttachment = route(
  'PATCH /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...renaming,
    summary: 'Rename a file of a release',
    handler: async (context) => renamedFile(context, await toChange(context)),
  },
)

export const repoDeleteReleaseAttachment = route(
  'DELETE /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    ...changing,
    ...removing,
    summary: 'Delete a file of a release',
    handler: async (context) => removeFile(context, await toChange(context)),
  },
)

const held = ({ repo }: OnRepository, { id, tag_name }: StoredRelease): HeldFiles => ({
  holder: { kind: 'release', id },
  downloads: downloadsOf(`${repo.owner.name}/${repo.name}`, tag_name),
})

/** @throws Problem 404 */
const holderOf = async (context: Parameters<typeof releaseIn>[0]) =>
  held(context.caller, await releaseIn(context))

/** @throws Problem 404, 423 */
async function toChange(
  context: ForgeContext<SignedInOnRepository, { params: { id: string } }>,
): Promise<ChangedHolder> {
  const release = await releaseToChange(context)
  const { id, tag_name } = release
  const { repo } = context.caller
  return {
    ...held(context.caller, release),
    name: `${repo.owner.name}/${repo.name}/${tag_name}`,
    maximum: context.tools.uploadLimits.release,
    requireType: () => {},
    add: async (tx, insert) => {
      if (!(await holdRelease(tx, id))) throw notFound()
      return insert()
    },
  }
}
