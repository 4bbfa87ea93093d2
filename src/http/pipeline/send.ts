import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Fields, type Log, limitLines, type RequestLine } from '../../log.ts'
import { headerOf } from '../server/header.ts'
import { isNotModified } from './etag.ts'
import type { Exchange } from './exchange.ts'
import { type Reply, withoutHeaders } from './reply.ts'

/** How long a connection that will be closed is still read, in milliseconds: until silence, and in total. */
const lingerTimeouts = { silence: 500, longest: 2000 }

/** Unwanted bodies up to this size, in bytes, are read to their end, so that the connection can be reused. */
const maxDrainBytes = 64 * 1024

/** Counts a request that is over. */
export type CountRequest = (request: Pick<RequestLine, 'method' | 'route' | 'status' | 'ms'>) => void

/** Logs and counts a request that is over, with the status and bytes of its answer. */
export type ReportRequest = (exchange: Exchange, status: number, bytes: number) => void

/** Logs that a limit of the server refuses requests. */
export type ReportLoad = (message: string, fields: Fields) => void

const cacheControl = new Set(['Cache-Control'])

/**
 * The reply with `Cache-Control: private, no-store` if the request has credentials: who uses the browser later must not
 * find the answer in it (RFC 9111, section 5.2.2.5).
 */
export function personalReply({ req, profile, match }: Exchange, reply: Reply): Reply {
  const { isPersonal } = profile
  if (!isPersonal || match?.target.route.access.open || !isPersonal(req.headers)) return reply
  const headers = [...withoutHeaders(reply.headers, cacheControl), 'Cache-Control', 'private, no-store']
  return { ...reply, headers }
}

/** Writes a reply and then reports it. `HEAD` and `304` get the reply's headers and no body. */
export function send(exchange: Exchange, reply: Reply, report: ReportRequest): void {
  const { req, res } = exchange
  const isUnchanged = reply.etag !== undefined && isNotModified(req, reply.etag)
  const status = isUnchanged ? 304 : reply.status
  const chunks = isUnchanged || req.method === 'HEAD' ? noChunks : reply.chunks
  const bytes = chunks === noChunks ? 0 : reply.length
  const headers = [...reply.headers, 'X-Request-Id', exchange.id]
  const writing = res.destroyed ? undefined : write(exchange, status, headers, chunks)
  if (writing) void writing.then(() => report(exchange, status, bytes))
  else report(exchange, status, bytes)
}

const noChunks: readonly Buffer[] = []

/** Returns a promise only for a long reply or a client that is still sending. Never rejects. */
function write(
  { req, res }: Exchange,
  status: number,
  headers: string[],
  chunks: readonly Buffer[],
): Promise<void> | undefined {
  if (!req.complete && !isShort(req)) {
    res.writeHead(status, headers.concat('Connection', 'close'))
    return linger(req, res, chunks)
  }
  res.writeHead(status, headers)
  // Otherwise node:http would write the head of a reply before a `100 Continue` that is queued behind earlier
  // responses.
  if (headerOf(req, 'expect') !== undefined) res.flushHeaders()
  if (chunks.length > 1) return writeAll(res, chunks)
  res.end(chunks[0])
  return undefined
}

/** Whether the rest of a body is small enough to be read and dropped. */
function isShort(req: IncomingMessage): boolean {
  if (headerOf(req, 'transfer-encoding') !== undefined) return false
  return Number(headerOf(req, 'content-length') ?? 0) <= maxDrainBytes
}

/**
 * Answers a client that is still sending an unwanted body, and closes the connection after a delay: closing it at once
 * would reset it, and a client that is busy writing would not get the answer.
 */
function linger(req: IncomingMessage, res: ServerResponse, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) res.write(chunk)
  req.resume()
  return new Promise((resolve) => {
    const close = () => {
      clearTimeout(silence)
      clearTimeout(longest)
      res.end()
      resolve()
    }
    const silence = setTimeout(close, lingerTimeouts.silence)
    const longest = setTimeout(close, lingerTimeouts.longest)
    req.on('data', () => silence.refresh())
    req.once('end', close).once('close', close)
  })
}

/** Writes a long reply at the speed of the client, so that nothing is buffered. */
async function writeAll(res: ServerResponse, chunks: readonly Buffer[]): Promise<void> {
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

/** Warns of each limit at most once a second. Their messages, which are constant, identify the limits. */
export function loadReporter(log: Log): ReportLoad {
  const limits = new Map<string, ReturnType<typeof limitLines>>()
  return (message, fields) => {
    const limited = limits.get(message) ?? limitLines()
    limits.set(message, limited)
    limited((unlogged) => log.warn(message, { ...fields, unlogged }))
  }
}

/** The line in the log contains the declared path, never the raw one, which may contain secrets. */
export function reportTo(log: Log, count?: CountRequest): ReportRequest {
  const isLogged = log.enabled('info')
  if (!isLogged && !count) return () => {}
  return ({ id, req, res, match, arrived, from }, answered, bytes) => {
    const method = req.method ?? ''
    const route = match?.target.path ?? null
    // What is cancelled because its client has closed the connection, or its side of it, is no failure of the server.
    const hasLeft = !res.writableEnded || (answered === 503 && req.socket.readableEnded)
    const status = hasLeft ? 499 : answered
    const ms = Math.round((performance.now() - arrived) * 1000) / 1000
    count?.({ method, route, status, ms })
    if (isLogged) log.request({ id, method, route, status, ms, bytes, address: from.address })
  }
}
