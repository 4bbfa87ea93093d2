import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CompleteUpload } from '../../blobs/upload.ts'
import type { Tx } from '../../db/sql.ts'
import { boundaryIn, MULTIPART_OVERHEAD, MultipartReader } from '../../http/pipeline/multipart.ts'
import { confirmed } from '../../http/route/confirmation.ts'
import { badRequest, found, Problem, unprocessable } from '../../http/route/problem.ts'
import { headerOf } from '../../http/server/header.ts'
import { recordAll } from '../audit/audit-trail.ts'
import { holdBlobs } from '../blobs/blob-store.ts'
import { receiveContent, storeContent } from '../blobs/content.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import type { ReceivingContext } from '../route.ts'
import { type Holder, insertAttachment, type StoredAttachment } from './attachment-store.ts'

type Context = ReceivingContext<SignedInOnRepository>
interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/** The files of a release, an issue or a comment. */
export interface HeldFiles {
  holder: Holder
  /** The address of the downloads of a release, without `host`; absent for others. */
  downloads?: string
}

/** A release, an issue or a comment whose files the caller may change. */
export interface ChangedHolder extends HeldFiles {
  /** How the audit trail names it, before the names of its files. */
  name: string
  /** Bytes of the largest file. */
  maximum: number
  /** @throws Problem 422 no file of it may have this name */
  requireType: (name: string) => void
  /** The same for the caller as a later access check finds it. @throws Problem 403, 404 */
  again: (caller: SignedInOnRepository) => Promise<ChangedHolder>
  /**
   * Locks it against deletion, inserts a file, and emits the events of that.
   * @throws Problem 404 it has been deleted
   */
  add: (tx: Tx, insert: () => Promise<StoredAttachment>) => Promise<StoredAttachment>
}

const NAME_MAX = 255

/**
 * Receives a file: as the part `attachment` of a form, or as the whole body. `name`, unless empty, is preferred to the one
 * in the form.
 * @throws Problem 400, 404 its holder has been deleted, 408, 413, 415, 422, 503, 507
 */
export async function receiveAttachment(
  context: Context,
  to: ChangedHolder,
  exchange: Exchange,
  name: string,
): Promise<StoredAttachment> {
  const { tools } = context
  const { maximum } = to
  const boundary = boundaryIn(headerOf(exchange.req, 'content-type') ?? '')
  const form = boundary === undefined ? undefined : new MultipartReader(boundary, 'attachment')
  // Checked before the file arrives, so that a client need not send it to learn that its name is invalid.
  if (!form || name !== '') requireName(to, name)
  const bytes = form ? maximum + MULTIPART_OVERHEAD : maximum
  if (Number(headerOf(exchange.req, 'content-length') ?? 0) > bytes) throw tooLarge(maximum)
  let size = 0
  let stored: StoredAttachment | undefined
  const write = async (chunk: Buffer, upload: { write: (bytes: Buffer) => Promise<void> }) => {
    for (const piece of form ? form.push(chunk).map(({ bytes }) => bytes) : [chunk]) {
      size += piece.length
      if (size > maximum) throw tooLarge(maximum)
      await upload.write(piece)
    }
  }
  await receiveContent(
    tools,
    exchange,
    { bytes: maximum + MULTIPART_OVERHEAD, onChunk: write },
    async (content) => {
      const { fileName = '', fields } = form?.finish() ?? {}
      const chosen = requireName(to, name || fields?.get('name') || baseOf(fileName))
      stored = await store(context, to, { name: chosen, content, uuid: randomUUID() })
    },
  )
  return found(stored)
}

const tooLarge = (maximum: number) => new Problem(413, `attachment exceeds limit ${maximum}`)

/** Old browsers send the path of the file. */
const baseOf = (fileName: string) => fileName.split('/').at(-1) ?? ''

/**
 * A name that downloads can have.
 * @throws Problem 400 empty, 422 too long, with characters that could lead to another folder, or of a type that is not allowed
 */
export function requireName({ requireType }: Pick<ChangedHolder, 'requireType'>, name: string): string {
  if (name === '') throw badRequest('Could not determine name of attachment.')
  if ([...name].length > NAME_MAX || /[\u0000-\u001f\u007f/\\\ufffe]|^\.{1,2}$/.test(name))
    throw unprocessable('the name of the attachment is invalid')
  requireType(name)
  return name.toWellFormed()
}

/** A file that has arrived. */
export interface ArrivedFile {
  name: string
  content: CompleteUpload
  /** The id that its address will have. */
  uuid: string
}

/** Writes the rows of a file that has arrived. @throws Problem 403, 404 */
const store = (context: Context, to: ChangedHolder, file: ArrivedFile): Promise<StoredAttachment> =>
  confirmed(context, async (caller) => {
    const holder = caller === context.caller ? to : await to.again(caller)
    return storeContent(context.tools.blobs.forRequest(context.from.id), file.content, () =>
      context.begin((tx) => insertFiles(tx, { ...context, caller }, holder, [file])),
    )
  })

/**
 * Adds files that have arrived, whose contents are prepared, at once: their holder is changed once. Gives the last one.
 * @throws ContentLost, Problem 404 the holder has been deleted
 */
export async function insertFiles(
  tx: Tx,
  context: Pick<Context, 'caller' | 'tools' | 'from'>,
  to: ChangedHolder,
  files: readonly ArrivedFile[],
): Promise<StoredAttachment> {
  const { caller, tools, from } = context
  const rows: StoredAttachment[] = []
  const last = await to.add(tx, async () => {
    await holdBlobs(
      tx,
      files.map(({ content }) => content),
    )
    for (const { name, content, uuid } of files) {
      const draft = { uuid, name, sha256: content.digests.sha256, uploader: caller.me.id }
      rows.push(await insertAttachment(tx, to.holder, draft))
    }
    return found(rows.at(-1))
  })
  await recordAll(
    tx,
    rows.map((row) => ({
      by: context,
      event: { action: 'attachment.created', target: attachmentTarget(to, row) },
    })),
  )
  for (const { content } of files) await tools.blobs.forRequest(from.id).place(content)
  return last
}

/** A file as a target in the audit trail. */
export const attachmentTarget = (
  { name: place }: Pick<ChangedHolder, 'name'>,
  { id, name }: Pick<StoredAttachment, 'id' | 'name'>,
) => ({ kind: 'attachment', id, name: `${place}/${name}` })
