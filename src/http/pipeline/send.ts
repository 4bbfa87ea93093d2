import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../../log.ts'
import { hasAlready } from './etag.ts'
import type { Exchange } from './exchange.ts'
import type { Piece, Reply } from './reply.ts'

/** How long a connection that will be closed is read on, in milliseconds: until it falls silent, and altogether. */
const lingering = { silence: 500, longest: 2000 }

/** Bodies up to this size, in bytes, are read to their end, so that the connection can be used again. */
const worthReading = 64 * 1024

/** Writes a reply and, when it is written, its log line. `HEAD` and `304` have the reply's headers and no body. */
export function send(visit: Exchange, reply: Reply, log: Log): void {
  const { req, res } = visit
  const fresh = reply.etag !== undefined && hasAlready(req, reply.etag)
  const status = fresh ? 304 : reply.status
  const chunks = fresh || req.method === 'HEAD' ? none : reply.chunks
  const bytes = chunks === none ? 0 : reply.length
  const headers = [...reply.headers, 'X-Request-Id', visit.id]
  const written = res.destroyed ? undefined : write(visit, status, headers, chunks)
  if (written) void written.then(() => record(visit, status, bytes, log))
  else record(visit, status, bytes, log)
}

const none: readonly Piece[] = []

/** A promise only where it takes time: a long reply, or a client that is still sending. It never rejects. */
function write(
  { req, res }: Exchange,
  status: number,
  headers: string[],
  chunks: readonly Piece[],
): Promise<void> | undefined {
  if (!req.complete && !isShort(req)) {
    res.writeHead(status, headers.concat('Connection', 'close'))
    return linger(req, res, chunks)
  }
  res.writeHead(status, headers)
  // node:http would put the head of a body of bytes before a `100 Continue` that waits for earlier answers.
  if (req.headers.expect !== undefined) res.flushHeaders()
  if (chunks.length > 1) return writeAll(res, chunks)
  res.end(chunks[0])
  return undefined
}

/** Whether what remains of a body is small enough to be read and dropped. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= worthReading
}

/**
 * Answers a client that still sends a body nobody wants, and closes the connection a moment later: closing it at once
 * would reset it, and a client that is busy writing would never hear why.
 */
function linger(req: IncomingMessage, res: ServerResponse, chunks: readonly Piece[]): Promise<void> {
  for (const chunk of chunks) res.write(chunk)
  req.resume()
  return new Promise((resolve) => {
    const close = () => {
      clearTimeout(silence)
      clearTimeout(longest)
      res.end()
      resolve()
    }
    const silence = setTimeout(close, lingering.silence)
    const longest = setTimeout(close, lingering.longest)
    req.on('data', () => silence.refresh())
    req.once('end', close).once('close', close)
  })
}

/** Writes a long reply as fast as the client takes it; its bytes are shared, so nothing piles up here. */
async function writeAll(res: ServerResponse, chunks: readonly Piece[]): Promise<void> {
  for (const chunk of chunks) {
    if (res.destroyed) return
    if (!res.write(chunk)) await drained(res)
  }
  res.end()
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}

/** The line of a request. It names the route, never the raw path, which may hold what a log must not. */
export function record(visit: Exchange, status: number, bytes: number, log: Log): void {
  if (!log.enabled('info')) return
  log.request({
    id: visit.id,
    method: visit.req.method ?? '',
    route: visit.match?.target.path ?? null,
    status: visit.res.writableEnded ? status : 499,
    ms: Math.round((performance.now() - visit.arrived) * 1000) / 1000,
    bytes,
    address: visit.req.socket.remoteAddress ?? null,
  })
}
