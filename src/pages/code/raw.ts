import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Code, type CodeContext, gitValue, openCode, placeIn } from '../../forge/code/code.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type BlobContent, openBlob } from '../../git/repository/blob.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { attachment } from '../../http/pipeline/attachment.ts'
import { isNotModified } from '../../http/pipeline/etag.ts'
import { networkOf } from '../../http/pipeline/network.ts'
import { pipeToResponse } from '../../http/pipeline/pipe-to-response.ts'
import { busy, found, unprocessable } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { LimitError, Limiter } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'
import { route } from '../route.ts'
import { mediaTypeOf } from './media-type.ts'

/** Largest file that is sent, in bytes: it waits on the disk until a slow client has it. */
const maxBytes = 8 * 1024 * 1024

/** A file can run no script, load nothing, and is of no origin: its author gets no access to the pages of the site. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const sending = {
  access: codeSeen(),
  fails: [404, 422],
  returns: [200],
  also: [304],
  sends: 'stream',
} as const

export const getRawFile = route('GET /{owner}/{repo}/raw/{kind}/{path...}', {
  ...sending,
  summary: 'A file of a branch, tag or commit as it is',
  handler: ({ params, ...context }) => fileAt(context, params),
})

export const getMediaFile = route('GET /{owner}/{repo}/media/{kind}/{path...}', {
  ...sending,
  summary: 'The same, for pictures in texts',
  handler: ({ params, ...context }) => fileAt(context, params),
})

/** @throws Problem 404, 422 too large, 503 */
async function fileAt(context: CodeContext, { kind, path }: { kind: string; path: string }): Promise<Stream> {
  const code = await openCode(context)
  const place = await placeIn(code, kind, path)
  const file = gitValue(await objectAt(code, place.commit, place.path))
  const { id, size } = found(file?.type === 'blob' ? file : undefined)
  if (size > maxBytes)
    throw unprocessable(
      `the file has more than ${maxBytes / 1024 / 1024} MiB; clone the repository to get it`,
    )
  const { gone: signal, address } = context.from
  return async (req, res) => {
    res.setHeader('ETag', `"${id}"`).setHeader('Content-Security-Policy', policy)
    if (isNotModified(req, `"${id}"`)) return void res.writeHead(304).end()
    await sendings
      .run(() => send(req, res, code, { id, size, path: place.path }), { signal, keys: [networkOf(address)] })
      .catch(refuseBusy)
  }
}

/** Files that are being sent: each is in memory or on the disk until its client has it. One client gets a quarter of the slots. */
const sendings = new Limiter({
  concurrency: 128,
  concurrencyPerKey: 32,
  queue: 500,
  usage: usageOf('raw-files'),
})

/** @throws Problem 503 too many files are being sent */
function refuseBusy(error: unknown): never {
  throw error instanceof LimitError ? busy('too many files are being sent', error.message, 5) : error
}

/** @throws Problem 503, 507 */
async function send(
  req: IncomingMessage,
  res: ServerResponse,
  code: Code,
  { id, size, path }: { id: string; size: number; path: string },
): Promise<void> {
  const blob = gitValue(await openBlob(code, { id, size }))
  try {
    const shown = mediaTypeOf(path) ?? ((await isText(blob)) ? 'text/plain; charset=utf-8' : undefined)
    if (shown === undefined)
      res.setHeader('Content-Disposition', attachment(path.slice(path.lastIndexOf('/') + 1)))
    res.writeHead(200, { 'Content-Type': shown ?? 'application/octet-stream', 'Content-Length': size })
    if (req.method === 'HEAD') res.end()
    else await pipeToResponse(req, res, blob.stream)
  } finally {
    blob.stream.destroy()
  }
}

/** How many bytes tell whether a file is text, as for git. */
const examined = 8000

const isText = async (blob: BlobContent) => !(await blob.start(examined)).includes(0)
