import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** A refusal of what a client sent. */
export interface BodyFault {
  /** 400, 413 or 415. */
  status: number
  sentence: string
}

/**
 * The body of a request, unpacked when it came compressed, of at most `most` bytes. What is wrong with it on the way is
 * told to `refuse`; the stream then neither ends nor goes on. The request itself is never destroyed: it is also the
 * way back.
 */
export function openBody(
  req: IncomingMessage,
  most: number,
  refuse: (fault: BodyFault) => void,
): Transform | BodyFault {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (Number(req.headers['content-length'] ?? 0) > most) return tooLarge(most)
  const bound = bounded(most, () => refuse(tooLarge(most)))
  if (encoding === 'identity') return req.pipe(bound)
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    return { status: 415, sentence: 'only gzip is understood as a content-encoding' }
  }
  const gunzip = createGunzip()
  gunzip.on('error', () => refuse({ status: 400, sentence: 'the body is not valid gzip' }))
  return req.pipe(gunzip).pipe(bound)
}

const tooLarge = (most: number): BodyFault => ({
  status: 413,
  sentence: `the body is larger than ${most} bytes`,
})

function bounded(most: number, exceed: () => void): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, next) {
      size += chunk.length
      if (size <= most) next(null, chunk)
      else exceed()
    },
  })
}

/** Takes what still comes of a body that nobody wants, so that the client hears the answer; cuts it off after a while. */
export function dropRest(req: IncomingMessage, milliseconds = 30_000): void {
  req.unpipe()
  if (req.complete || req.destroyed) {
    req.resume()
    return
  }
  const cut = setTimeout(() => req.destroy(), milliseconds)
  req.once('close', () => clearTimeout(cut)).once('end', () => clearTimeout(cut))
  req.resume()
}
