import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { examined } from '../../common/charset.ts'
import { isSmallBlob, openBlob, readSmallBlob } from '../../git/repository/blob.ts'
import { lastChangeOf } from '../../git/repository/cache/last-changes.ts'
import { readCommitObject } from '../../git/repository/commit.ts'
import { objectAt, type PathInCommit } from '../../git/repository/revisions.ts'
import { attachment, inline } from '../../http/pipeline/attachment.ts'
import { isNotModified } from '../../http/pipeline/etag.ts'
import { refuseRange, selectedRange } from '../../http/pipeline/file.ts'
import { pipeToResponse } from '../../http/pipeline/pipe-to-response.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { streamed } from '../../http/route/sends.ts'
import { Limiter } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'
import { type Code, type CodeContext, gitValue } from '../repos/code.ts'
import { contentTypeOf } from './media-type.ts'
import { orBusy } from './or-busy.ts'

/** Largest file that the server sends, in bytes: the file stays on the disk until a slow client has received it. */
const maxBytes = 8 * 1024 * 1024

/** A file cannot run scripts or load anything, and has no origin: its author gets no access to the pages of the site. */
export const untrustedPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The members of a route that sends files as they are. */
export const sendsFile = {
  fails: [404, 422],
  returns: streamed(200, v.pipe(v.string(), v.metadata({ format: 'binary' })), '*/*'),
  also: [206, 304, 416],
} as const

/**
 * Sends the file at a path of a commit, of a symbolic link where it leads, or the part that `Range` selects; several
 * requests may share the result. `isDated`: with `Last-Modified`, which may take a run of git.
 * @throws Problem 404, 422 too large, 503
 */
export async function rawFile(
  { tools }: Pick<CodeContext, 'tools'>,
  code: Code,
  place: PathInCommit,
  { isDated = false } = {},
): Promise<Stream> {
  const object = gitValue(await objectAt(code, place.commit, place.path))
  const { id, size } = found(object?.type === 'blob' ? object : undefined)
  if (size > maxBytes)
    throw unprocessable(
      `the file has more than ${maxBytes / 1024 / 1024} MiB; clone the repository to get it`,
    )
  const changed = isDated ? await changeOf(code, place) : undefined
  const file = { id, size, path: place.path }
  return async (req, res, from) => {
    res.setHeader('ETag', `"${id}"`).setHeader('Content-Security-Policy', untrustedPolicy)
    if (changed) res.setHeader('Last-Modified', changed.toUTCString())
    if (isNotModified(req, `"${id}"`)) return void res.writeHead(304).end()
    const range = selectedRange(req, { etag: `"${id}"`, size })
    if (range === 'unsatisfiable') return refuseRange(res, size)
    // Each of the requests that share this result reads for itself.
    const { git } = tools.gitService.forReader(from)
    const sent = { code: { ...code, git }, file, range }
    if (isSmallBlob(size)) return sendSmall(req, res, sent)
    await sendings
      .run(() => sendLarge(req, res, sent), {
        signal: from.gone,
        keys: [from.network],
      })
      .catch(orBusy('too many files are being sent'))
  }
}

/** When the file changed last; undefined if unknown. @throws Problem 503 */
async function changeOf(code: Code, place: PathInCommit): Promise<Date | undefined> {
  const id = gitValue(await lastChangeOf(code, place))
  const commit = id === undefined ? undefined : gitValue(await readCommitObject(code, id))
  return commit?.committer.at ? new Date(commit.committer.at) : undefined
}

/** Large files that are being sent: each is on the disk until its client has received it. One client gets a quarter. */
const sendings = new Limiter({
  concurrency: 128,
  concurrencyPerKey: 32,
  queue: 500,
  usage: usageOf('raw-files'),
})

/** A file, and the range of it that is sent. */
interface Sent {
  code: Code
  file: { id: string; size: number; path: string }
  range: 'whole' | { first: number; last: number }
}

/** Sends a file from memory. @throws Problem 503 */
async function sendSmall(req: IncomingMessage, res: ServerResponse, sent: Sent): Promise<void> {
  const content = gitValue(await readSmallBlob(sent.code, sent.file.id))
  const { first, last } = writeHead(res, sent, content)
  if (req.method === 'HEAD') res.end()
  else res.end(content.subarray(first, last + 1))
}

/** Sends a file from the disk. @throws Problem 503, 507 */
async function sendLarge(req: IncomingMessage, res: ServerResponse, sent: Sent): Promise<void> {
  const { code, file } = sent
  const blob = gitValue(await openBlob(code, file.id, spanOf(sent)))
  try {
    writeHead(res, sent, await blob.start(examined))
    if (req.method === 'HEAD') res.end()
    else await pipeToResponse(req, res, blob.stream)
  } finally {
    blob.stream.destroy()
  }
}

const spanOf = ({ range, file: { size } }: Sent) => (range === 'whole' ? { first: 0, last: size - 1 } : range)

/** `start`: the first bytes of the file. Returns the positions of the first and the last byte to send. */
function writeHead(res: ServerResponse, sent: Sent, start: Buffer): { first: number; last: number } {
  const { path, size } = sent.file
  const { first, last } = spanOf(sent)
  const shown = contentTypeOf(path, start)
  const name = path.slice(path.lastIndexOf('/') + 1)
  res.setHeader('Content-Disposition', shown === undefined ? attachment(name) : inline(name))
  if (sent.range !== 'whole') res.setHeader('Content-Range', `bytes ${first}-${last}/${size}`)
  res.writeHead(sent.range === 'whole' ? 200 : 206, {
    'Accept-Ranges': 'bytes',
    'Content-Type': shown ?? 'application/octet-stream',
    'Content-Length': last - first + 1,
  })
  return { first, last }
}
