import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { headerOf } from '../server/header.ts'
import { isNotModified } from './etag.ts'
import { pipeToResponse } from './pipe-to-response.ts'
import { rangeOf } from './range.ts'

/** A file to send. */
interface SentFile {
  /** Open for reading; `sendFile` closes it. */
  handle: FileHandle
  /** Bytes. */
  size: number
  /** Strong (RFC 9110, section 8.8.3). */
  etag: string
  type: string
  /** The file name under which a browser saves it. */
  name: string
}

/**
 * Sends a file, or the part that `Range` selects, at the speed of the client; answers 304 if `If-None-Match` contains
 * its tag. Stops when the client disconnects or falls silent.
 */
export async function sendFile(req: IncomingMessage, res: ServerResponse, file: SentFile): Promise<void> {
  const { handle, size, etag, type, name } = file
  try {
    res.setHeader('ETag', etag).setHeader('Accept-Ranges', 'bytes')
    if (isNotModified(req, etag)) return end(res, 304)
    const ifRange = headerOf(req, 'if-range')
    const range = ifRange === undefined || ifRange === etag ? rangeOf(headerOf(req, 'range'), size) : 'whole'
    if (range === 'unsatisfiable') return end(res.setHeader('Content-Range', `bytes */${size}`), 416)
    const { first, last } = range === 'whole' ? { first: 0, last: size - 1 } : range
    if (range !== 'whole') res.setHeader('Content-Range', `bytes ${first}-${last}/${size}`)
    res.writeHead(range === 'whole' ? 200 : 206, {
      'Content-Type': type,
      'Content-Length': last - first + 1,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    })
    if (req.method === 'HEAD' || last < first) {
      res.end()
      return
    }
    await pipeToResponse(req, res, handle.createReadStream({ start: first, end: last, autoClose: false }))
  } finally {
    await handle.close()
  }
}

function end(res: ServerResponse, status: number): void {
  res.writeHead(status, status === 416 ? { 'Content-Length': 0 } : {}).end()
}
