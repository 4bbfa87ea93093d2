import * as v from 'valibot'
import { found } from '../../http/route/problem.ts'
import { described } from '../../http/route/values.ts'
import { record } from '../admin/audit-trail.ts'
import { numberIn, numberParam, queryText } from '../protocol/query.ts'
import { releasesSeen, releasesWritten } from '../repos/access.ts'
import { route } from '../route.ts'
import { releaseIn, releaseToChange } from './access.ts'
import { attachmentById, attachmentsOf, deleteAttachment, renameAttachment } from './attachment-store.ts'
import { attachmentTarget, receiveAttachment, requireName } from './attachment-upload.ts'
import { EditAttachmentOptions } from './release.option.ts'
import { Attachment, printAttachment } from './release.shape.ts'

/** Files of releases. */

const onRelease = { id: numberParam }
const onAttachment = { id: numberParam, attachment_id: numberParam }

export const repoListReleaseAttachments = route('GET /repos/{owner}/{repo}/releases/{id}/assets', {
  summary: 'Files of a release, in the order in which they were uploaded',
  access: releasesSeen(),
  params: onRelease,
  fails: [404],
  returns: [200, v.array(Attachment)],
  handler: async (context) => {
    const { id } = await releaseIn(context)
    return (await attachmentsOf(context.sql, [id])).map((row) => printAttachment(row, context.from))
  },
})

export const repoGetReleaseAttachment = route(
  'GET /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    summary: 'A file of a release; `browser_download_url` leads to its content',
    access: releasesSeen(),
    params: onAttachment,
    fails: [404],
    returns: [200, Attachment],
    handler: async (context) => {
      const { id } = await releaseIn(context)
      const row = await attachmentById(context.sql, id, numberIn(context.params.attachment_id))
      return printAttachment(found(row), context.from)
    },
  },
)

export const repoCreateReleaseAttachment = route('POST /repos/{owner}/{repo}/releases/{id}/assets', {
  summary:
    'Add a file to a release: the part `attachment` of a form, or a body of any other type with `name`',
  access: releasesWritten(),
  params: onRelease,
  query: { name: described(queryText, 'Name of the file; that in the form, unless it is given') },
  fails: [400, 404, 413, 422, 423, 503, 507],
  returns: [201, Attachment],
  sends: 'stream',
  handler: async (context) => {
    const release = await releaseToChange(context)
    return async (req, res) => {
      const row = await receiveAttachment(context, release, { req, res }, context.query.name)
      const body = JSON.stringify(printAttachment(row, context.from))
      res.writeHead(201, { 'Content-Type': 'application/json;charset=utf-8' }).end(body)
    }
  },
})

export const repoEditReleaseAttachment = route(
  'PATCH /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    summary: 'Rename a file of a release',
    access: releasesWritten(),
    params: onAttachment,
    body: EditAttachmentOptions,
    fails: [404, 423],
    returns: [201, Attachment],
    handler: async (context) => {
      const { body, begin, caller, from, params } = context
      const release = await releaseToChange(context)
      const id = numberIn(params.attachment_id)
      const before = found(await attachmentById(context.sql, release.id, id))
      const name = requireName(body.name || before.name)
      const row = await begin(async (tx) => {
        const renamed = found(await renameAttachment(tx, release.id, id, name))
        const target = attachmentTarget(caller, release, renamed)
        await record(tx, context, { action: 'attachment.renamed', target, details: { from: before.name } })
        return renamed
      })
      return printAttachment(row, from)
    },
  },
)

export const repoDeleteReleaseAttachment = route(
  'DELETE /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}',
  {
    summary: 'Delete a file of a release',
    access: releasesWritten(),
    params: onAttachment,
    fails: [404, 423],
    returns: [204],
    handler: async (context) => {
      const { begin, caller, params } = context
      const release = await releaseToChange(context)
      const id = numberIn(params.attachment_id)
      await begin(async (tx) => {
        const row = found(await attachmentById(tx, release.id, id))
        found((await deleteAttachment(tx, release.id, id)) || undefined)
        const target = attachmentTarget(caller, release, row)
        await record(tx, context, { action: 'attachment.deleted', target })
      })
    },
  },
)
