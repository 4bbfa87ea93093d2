import { Readable } from 'node:stream'
import { codeSeen } from '../../forge/repos/access.ts'
import { objectAt } from '../../git/repository/objects.ts'
import { readBlobs } from '../../git/repository/tree.ts'
import { attachment } from '../../http/pipeline/attachment.ts'
import { isNotModified } from '../../http/pipeline/etag.ts'
import { pipeToResponse } from '../../http/pipeline/pipe-to-response.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { route } from '../route.ts'
import { type CodeContext, gitValue, openCode, placeIn } from './code.ts'
import { mediaTypeOf } from './media-type.ts'

/** Largest file that is sent, in bytes: it is held in memory until a slow client has it. */
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

const raw = route('GET /{owner}/{repo}/raw/{kind}/{path...}', {
  ...sending,
  operationId: 'getRawFile',
  summary: 'A file of a branch, tag or commit as it is',
  handler: ({ params, ...context }) => fileAt(context, params),
})

const media = route('GET /{owner}/{repo}/media/{kind}/{path...}', {
  ...sending,
  operationId: 'getMediaFile',
  summary: 'The same, for pictures in texts',
  handler: ({ params, ...context }) => fileAt(context, params),
})

export const rawRoutes = [raw, media]

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
  const bytes = found(gitValue(await readBlobs(code, [id], maxBytes + 1024)).get(id))
  return send(bytes, { id, path: place.path })
}

const send =
  (bytes: Buffer, { id, path }: { id: string; path: string }): Stream =>
  async (req, res) => {
    const isText = !bytes.includes(0)
    const shown = mediaTypeOf(path) ?? (isText ? 'text/plain; charset=utf-8' : undefined)
    res.setHeader('ETag', `"${id}"`).setHeader('Content-Security-Policy', policy)
    if (isNotModified(req, `"${id}"`)) return void res.writeHead(304).end()
    if (shown === undefined)
      res.setHeader('Content-Disposition', attachment(path.slice(path.lastIndexOf('/') + 1)))
    res.writeHead(200, {
      'Content-Type': shown ?? 'application/octet-stream',
      'Content-Length': bytes.length,
    })
    if (req.method === 'HEAD') res.end()
    else await pipeToResponse(req, res, Readable.from([bytes]))
  }
