import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CompleteUpload, Upload } from '../blobs/upload.ts'
import type { Begin, Sql, Tx } from '../db/sql.ts'
import { boundaryIn, MULTIPART_OVERHEAD, MultipartReader } from '../http/pipeline/multipart.ts'
import { found, Problem, unprocessable } from '../http/route/problem.ts'
import type { Stream } from '../http/route/results.ts'
import { headerOf } from '../http/server/header.ts'
import type { Origin } from '../http/server/origin.ts'
import { imageHead } from './avatars/image.ts'
import { MetadataFilter, withoutMetadata } from './avatars/metadata-filter.ts'
import { holdBlob, holdBlobs } from './blobs/blob-store.ts'
import { receiveContent, storeBytes, storeContent, storeContents } from './blobs/content.ts'
import { contentProblem } from './blobs/content-problem.ts'
import { untrustedPolicy } from './code/raw-file.ts'
import { storedFile } from './packages/download.ts'
import type { ForgeTools } from './route.ts'
import { insertSitePicture, sitePictureByUuid, thumbnailOf } from './site-picture-store.ts'

interface ArrivedFile {
  name: string
  content: CompleteUpload
}

type PictureRows<Result> = (pictures: readonly ArrivedPicture[]) => Promise<Result>

type PictureRow = (picture: ArrivedPicture) => Promise<void>

/** A picture whose rows are still to be inserted. */
interface ArrivedPicture extends ArrivedFile {
  uuid: string
  extension: string
  type: string
}

/** Limits of a picture: bytes, pixels in a row or column, and bytes at its beginning that must contain its size. */
export const pictureLimits = { bytes: 10 * 1024 * 1024, pixels: 16_384, head: 1024 * 1024 }

/** Limits of a thumbnail, of which a list loads dozens. */
const thumbnailLimits = { field: 'thumbnail', bytes: 64 * 1024, pixels: 512 }

const forever = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': untrustedPolicy,
  'X-Content-Type-Options': 'nosniff',
}

/** How a form that has a picture is processed. */
interface PictureWork<Draft, Row> {
  /** Called once, with the map of fields, which fills as they arrive. */
  watch?: (fields: ReadonlyMap<string, string>) => void
  /** Validates the fields of the whole form. @throws Problem */
  check: (fields: ReadonlyMap<string, string>) => Promise<Draft>
  /** Writes the rows that refer to the picture by its `uuid`. */
  write: (tx: Tx, draft: Draft, picture: NamedPicture) => Promise<Row>
}

interface NamedPicture {
  uuid: string
  sha256: string
  /** The extension of its type. */
  extension: string
}

type Writer = Pick<Upload, 'write'>

interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/** The pictures of the site in the store of contents. */
export function sitePictures({ blobs }: Pick<ForgeTools, 'blobs'>) {
  return {
    /**
     * Receives a form with a picture in its part `picture`, which is never decoded and loses its metadata, and stores it in one transaction with
     * the rows that refer to it.
     * @throws Problem 400, 408, 413, 415 no form or no picture, 422 too many pixels, 503, 507
     */
    receive: async <Draft, Row>(
      { begin, from }: { begin: Begin; from: Origin },
      exchange: Exchange,
      work: PictureWork<Draft, Row>,
    ): Promise<Row> => {
      const form = readerOf(exchange.req)
      work.watch?.(form.fields)
      const writer = new PictureWriter()
      let stored: { row: Row } | undefined
      const onChunk = async (chunk: Buffer, upload: Writer) => {
        for (const { bytes: piece } of form.push(chunk)) await writer.write(piece, upload)
      }
      const onEnd = (upload: Writer) => writer.end(upload)
      await receiveContent({ blobs }, exchange, { bytes: largestForm, onChunk, onEnd }, async (content) => {
        const { fields, smallFile } = form.finish()
        const draft = await work.check(fields)
        const picture = { content, type: writer.type('picture') }
        const tools = { blobs: blobs.forRequest(from.id), begin }
        const storeWith = async (thumbnail?: Picture) => {
          const row = await store(tools, { picture, thumbnail }, (tx, named) => work.write(tx, draft, named))
          stored = { row }
        }
        if (!smallFile) return storeWith()
        const type = typeOf(smallFile, 'thumbnail', thumbnailLimits)
        await storeBytes(tools.blobs, withoutMetadata(smallFile), (content) => storeWith({ content, type }))
      })
      return found(stored).row
    },
    take: <Result>(from: Origin, files: readonly ArrivedFile[], work: PictureRows<Result>): Promise<Result> =>
      takeFiles(blobs, from, files, work),
    insert: (tx: Tx, from: Origin, pictures: readonly ArrivedPicture[], write: PictureRow): Promise<void> =>
      insertPictures(blobs.forRequest(from.id), tx, pictures, write),
    send: (
      context: { sql: Sql; from: Origin },
      uuid: string,
      what: 'picture' | 'thumbnail',
    ): Promise<Stream> => sendPicture(blobs, context, uuid, what),
  }
}

/** Sends a picture or its thumbnail, or the part that `Range` selects. @throws Problem 404 */
async function sendPicture(
  blobs: ForgeTools['blobs'],
  { sql, from }: { sql: Sql; from: Origin },
  uuid: string,
  what: 'picture' | 'thumbnail',
): Promise<Stream> {
  const find = what === 'picture' ? sitePictureByUuid : thumbnailOf
  const { sha256, type, size } = found(await find(sql, uuid))
  return storedFile({ tools: { blobs }, from }, { sha256, type, size, etag: `"${sha256}"`, headers: forever })
}

/**
 * Makes pictures of files that have arrived, and stores their contents while `work` inserts their rows.
 * @throws Problem 415 no picture, 422 too many pixels, 503, 507, and what `work` throws
 */
async function takeFiles<Result>(
  blobs: ForgeTools['blobs'],
  from: Origin,
  files: readonly ArrivedFile[],
  work: PictureRows<Result>,
): Promise<Result> {
  const uploads: Upload[] = []
  try {
    const pictures: ArrivedPicture[] = []
    for (const file of files) {
      const upload = await blobs.startUpload()
      uploads.push(upload)
      pictures.push(await pictureOf(file, upload))
    }
    const contents = pictures.map(({ content }) => content)
    return await storeContents(blobs.forRequest(from.id), contents, () => work(pictures))
  } catch (error) {
    throw contentProblem(error) ?? error
  } finally {
    for (const upload of uploads) await upload.discard()
  }
}

/** Inserts the rows of pictures that `takeFiles` has made, and with `write` those that refer to one. @throws ContentLost */
async function insertPictures(
  blobs: ForgeTools['blobs'],
  tx: Tx,
  pictures: readonly ArrivedPicture[],
  write: PictureRow,
): Promise<void> {
  const contents = pictures.map(({ content }) => content)
  await holdBlobs(tx, contents)
  for (const picture of pictures) {
    const { uuid, type, content } = picture
    await insertSitePicture(tx, { uuid, sha256: content.digests.sha256, type })
    await write(picture)
  }
  for (const content of contents) await blobs.place(content)
}

/** Writes what a picture keeps of a file. @throws Problem 415, 422 */
async function pictureOf({ name, content }: ArrivedFile, upload: Upload): Promise<ArrivedPicture> {
  const writer = new PictureWriter()
  for await (const chunk of createReadStream(content.path)) await writer.write(chunk, upload)
  await writer.end(upload)
  const type = writer.type(`picture ${name}`)
  return { name, uuid: randomUUID(), extension: extensionOf(type), type, content: await upload.finish() }
}

/** Writes the bytes of a picture without its metadata, and keeps its beginning, which tells its type. */
class PictureWriter {
  readonly #filter = new MetadataFilter()
  readonly #head: Buffer[] = []
  #size = 0

  /** @throws Problem 413 the picture is too large */
  async write(piece: Buffer, upload: Writer): Promise<void> {
    if (this.#size < pictureLimits.head) this.#head.push(Buffer.from(piece))
    this.#size += piece.length
    if (this.#size > pictureLimits.bytes) throw tooLarge()
    await upload.write(this.#filter.push(piece))
  }

  async end(upload: Writer): Promise<void> {
    await upload.write(this.#filter.end())
  }

  /** Of all that was written; `what` it is, for messages. @throws Problem 415, 422 */
  type(what: string): string {
    return typeOf(Buffer.concat(this.#head), what, pictureLimits)
  }
}

const extensionOf = (type: string) => type.slice('image/'.length)

/** Maximum bytes of a form with a picture. */
const largestForm = pictureLimits.bytes + thumbnailLimits.bytes + MULTIPART_OVERHEAD

/** @throws Problem 413, 415 */
function readerOf(req: IncomingMessage): MultipartReader {
  const boundary = boundaryIn(headerOf(req, 'content-type') ?? '')
  if (boundary === undefined) throw new Problem(415, 'a picture must be sent in a form (multipart/form-data)')
  if (Number(headerOf(req, 'content-length') ?? 0) > largestForm) throw tooLarge()
  return new MultipartReader(boundary, 'picture', { small: thumbnailLimits })
}

const tooLarge = () => new Problem(413, `the picture has more than ${pictureLimits.bytes} bytes`)

/** The type of an image, by its bytes and not by the form; `what` it is, for messages. @throws Problem 415, 422 */
function typeOf(bytes: Buffer, what: string, { pixels }: { pixels: number }): string {
  const head = imageHead(bytes)
  if (!head) throw new Problem(415, `the ${what} must be a PNG, JPEG, GIF or WebP image`)
  if (head.width > pixels || head.height > pixels)
    throw unprocessable(`the ${what} has more than ${pixels} pixels in a row or column`)
  return head.type
}

interface Picture {
  content: CompleteUpload
  type: string
}

function store<Row>(
  { blobs, begin }: Pick<ForgeTools, 'blobs'> & { begin: Begin },
  { picture, thumbnail }: { picture: Picture; thumbnail: Picture | undefined },
  write: (tx: Tx, picture: NamedPicture) => Promise<Row>,
): Promise<Row> {
  const { sha256 } = picture.content.digests
  const named = { uuid: randomUUID(), sha256, extension: extensionOf(picture.type) }
  return storeContent(blobs, picture.content, () =>
    begin(async (tx) => {
      await holdBlob(tx, picture.content)
      await insertSitePicture(tx, { uuid: named.uuid, sha256, type: picture.type })
      if (thumbnail) await insertThumbnail(tx, thumbnail, named.uuid)
      const row = await write(tx, named)
      await blobs.place(picture.content)
      if (thumbnail) await blobs.place(thumbnail.content)
      return row
    }),
  )
}

async function insertThumbnail(tx: Tx, { content, type }: Picture, of: string): Promise<void> {
  await holdBlob(tx, content)
  await insertSitePicture(tx, { uuid: randomUUID(), sha256: content.digests.sha256, type, of })
}
