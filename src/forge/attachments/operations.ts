import * as v from 'valibot'
import { found, notFound } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { json, noBody, streamed } from '../../http/route/sends.ts'
import { described } from '../../http/route/values.ts'
import { record } from '../audit/audit-trail.ts'
import { numberIn, numberParam, queryText } from '../protocol/query.ts'
import type { OnRepository, SignedInOnRepository } from '../repos/access.ts'
import type { ForgeContext, ReceivingContext } from '../route.ts'
import { EditAttachmentOptions } from './attachment.option.ts'
import { Attachment, printAttachment } from './attachment.shape.ts'
import {
  attachmentById,
  attachmentsOf,
  deleteAttachment,
  renameAttachment,
  type StoredAttachment,
} from './attachment-store.ts'
import {
  attachmentTarget,
  type ChangedHolder,
  type HeldFiles,
  receiveAttachment,
  requireName,
} from './upload.ts'

/** The operations on files of releases, of issues and of comments share these members and handlers. */

export const attachmentParam = { attachment_id: numberParam }

export const listing = { fails: [404], returns: json(200, v.array(Attachment)) } as const
export const showing = { fails: [404], returns: json(200, Attachment) } as const
export const renaming = { body: EditAttachmentOptions, returns: json(201, Attachment) } as const
export const removing = { returns: noBody(204) } as const
export const adding = {
  query: { name: described(queryText, 'Name of the file; absent: the name in the form') },
  fails: [400, 404, 413, 422, 423, 503, 507],
  returns: streamed(201, Attachment),
} as const

type OnAttachment<Caller> = ForgeContext<Caller, { params: { attachment_id: string } }>

export const filesOf = async ({ sql, from }: ForgeContext<OnRepository>, of: HeldFiles) =>
  (await attachmentsOf(sql, of.holder)).map((row) => printHeld(row, from, of))

const printHeld = (row: StoredAttachment, { host }: { host: string }, { downloads }: HeldFiles) =>
  printAttachment(row, { host, downloads: downloads && `${host}${downloads}` })

/** @throws Problem 404 */
export async function fileOf({ sql, params, from }: OnAttachment<OnRepository>, of: HeldFiles) {
  return printHeld(found(await attachmentById(sql, of.holder, numberIn(params.attachment_id))), from, of)
}

/** Receives a file and answers 201. @throws Problem those of `receiveAttachment` */
export const addedFile =
  (context: ReceivingContext<SignedInOnRepository, { query: { name: string } }>, to: ChangedHolder): Stream =>
  async (req, res) => {
    const row = await receiveAttachment(context, to, { req, res }, context.query.name)
    const body = JSON.stringify(printHeld(row, context.from, to))
    res.writeHead(201, { 'Content-Type': 'application/json;charset=utf-8' }).end(body)
  }

/** @throws Problem 404, 422 */
export async function renamedFile(
  context: OnAttachment<SignedInOnRepository> & { body: { name?: string | undefined } },
  to: ChangedHolder,
): Promise<Attachment> {
  const { body, begin, sql, from, params } = context
  const id = numberIn(params.attachment_id)
  const before = found(await attachmentById(sql, to.holder, id))
  const name = requireName(to, body.name || before.name)
  const row = await begin(async (tx) => {
    const renamed = found(await renameAttachment(tx, to.holder, id, name))
    const target = attachmentTarget(to, renamed)
    await record(tx, context, { action: 'attachment.renamed', target, details: { from: before.name } })
    return renamed
  })
  return printHeld(row, from, to)
}

/** @throws Problem 404 */
export function removeFile(context: OnAttachment<SignedInOnRepository>, to: ChangedHolder): Promise<void> {
  const id = numberIn(context.params.attachment_id)
  return context.begin(async (tx) => {
    const row = found(await attachmentById(tx, to.holder, id))
    if (!(await deleteAttachment(tx, to.holder, id))) throw notFound()
    await record(tx, context, { action: 'attachment.deleted', target: attachmentTarget(to, row) })
  })
}
