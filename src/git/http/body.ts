import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** An error in the request of a client. */
export interface BodyFault {
  /** 400, 408, 413, 415 or 503. */
  status: number
  sentence: string
}

/**
 * The body of a request, decompressed if necessary, limited to `maxBytes`. Errors found while reading are reported to
 * `refuse`; the stream then neither ends nor continues. The request itself is never destroyed, because the response
 * uses the same connection.
 */
export function openBody(
  req: IncomingMessage,
  maxBytes: number,
  refuse: (fault: BodyFault) => void,
): Transform | BodyFault {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes)
  const limited = limitBytes(maxBytes, () => refuse(tooLarge(maxBytes)))
  if (encoding === 'identity') return req.pipe(limited)
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    return { status: 415, sentence: 'only gzip is understood as a content-encoding' }
  }
  const gunzip = createGunzip()
  gunzip.on('error', () => refuse({ status: 400, sentence: 'the body is not valid gzip' }))
  return req.pipe(gunzip).pipe(limited)
}

const tooLarge = (maxBytes: number): BodyFault => ({
  status: 413,
  sentence: `the body is larger than ${maxBytes} bytes`,
})

function limitBytes(maxBytes: number, exceed: () => void): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, next) {
      size += chunk.length
      if (size <= maxBytes) next(null, chunk)
      else exceed()
    },
  })
}

/** How long the rest of an unwanted body may take, in milliseconds. */
const maxRestTime = 30_000

/** Discards the rest of an unwanted body, so that the client gets the response; closes the connection after a while. */
export function dropRest(req: IncomingMessage): void {
  req.unpipe()
  if (req.complete || req.destroyed) {
    req.resume()
    return
  }
  const { socket } = req
  const cut = setTimeout(() => req.destroy(), maxRestTime)
  const stop = () => {
    clearTimeout(cut)
    socket.off('close', stop)
  }
  req.once('close', stop).once('end', stop).resume()
  // After the answer, the request emits no event when its connection closes.
  socket.once('close', stop)
}
