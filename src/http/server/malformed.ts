import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../../log.ts'
import { headOf, problemReply } from '../pipeline/reply.ts'
import type { ApiProfile } from '../route/api.ts'
import { Problem } from '../route/problem.ts'
import { bareAddress } from './proxies.ts'

/** State of an open connection. */
export interface Connection {
  socket: Socket
  /** The response to its last request. */
  response?: ServerResponse
  /** The response before that, if it was not yet sent completely when the last request arrived. */
  previous?: ServerResponse | undefined
  /** Whether malformed HTTP was received: the connection is closed after the pending responses. */
  malformed?: boolean
  /**
   * Whether its last request asked to upgrade. Node drops what came with such a request, since it could be in the other
   * protocol: what comes next may begin anywhere, so it is not read, and the connection is closed after the response.
   */
  isLost?: boolean
}

/** What the parser of node refused before there was a request. */
interface Malformed {
  /** The peer's IP address: headers that a proxy wrote cannot be read. */
  address: string
  status: number
  /** Of the error; never what the client sent. */
  code: string
}

export type ReportMalformed = (request: Malformed) => void

/** Malformed requests by status, since the start of this process. For `src/metrics`. */
export const malformedCounts = new Map<number, number>([400, 408, 431].map((status) => [status, 0]))

/** Least time between two lines in the log, in milliseconds: a flood must not fill it. */
const lineInterval = 1_000

/** Counts malformed requests, and logs one a second with the number of those since the line before that have none. */
export function malformedReporter(log: Log): ReportMalformed {
  let loggedAt = Number.NEGATIVE_INFINITY
  let unlogged = 0
  return ({ address, status, code }) => {
    malformedCounts.set(status, (malformedCounts.get(status) ?? 0) + 1)
    const now = performance.now()
    if (now - loggedAt < lineInterval) {
      unlogged++
      return
    }
    log.info('malformed request', { address, status, code, unlogged })
    loggedAt = now
    unlogged = 0
  }
}

const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'the request did not arrive in time'),
}
const notHttp = new Problem(400, 'the request is not valid HTTP')

/**
 * Answers malformed or oversized HTTP in the error format of the API and closes the connection. Complete requests
 * before it get their responses first: otherwise the client would take this error for the response to the first of
 * them.
 */
export function answerMalformed(
  error: NodeJS.ErrnoException,
  connection: Connection,
  { profile, report }: { profile: ApiProfile; report: ReportMalformed },
): void {
  const { socket, response: last, previous, malformed } = connection
  const problem = problems[error.code ?? ''] ?? notHttp
  if (isNews(error, connection))
    report({
      address: bareAddress(socket.remoteAddress ?? ''),
      status: problem.status,
      code: error.code ?? '',
    })
  connection.malformed = true
  const pending = [last, previous].find((res) => res?.req.complete && !res.writableFinished)
  // Nothing may be written into the middle of a response.
  const midResponse = socket.bytesWritten > 0 && last?.writableFinished === false
  // A request whose body was cut off after its response must not get a second response.
  const answered = last?.writableFinished === true && !last.req.complete
  if (error.code === 'ECONNRESET' || !socket.writable || answered || (midResponse && !pending)) {
    socket.destroy()
    return
  }
  if (pending) {
    if (!malformed) closeAfterResponse(socket, pending)
    return
  }
  const reply = problemReply(profile, problem)
  const head = headOf({ ...reply, headers: [...reply.headers, 'Connection', 'close'] })
  socket.end(`${head}\r\n${reply.chunks.join('')}`)
}

/**
 * Whether it is worth a report: not the second error of a connection, nor one in the body of a request, which has a
 * line of its own, nor a connection that ends or idles before its first byte.
 */
function isNews({ code = '' }: NodeJS.ErrnoException, { socket, response, malformed }: Connection): boolean {
  const isOfHttp = /^(?:HPE_|ERR_HTTP_)/.test(code)
  return isOfHttp && !malformed && socket.bytesRead > 0 && response?.req.complete !== false
}

/** Closes a connection after the response in progress. */
export function closeAfterResponse(socket: Socket, res: ServerResponse): void {
  if (res.writableFinished) return
  res.shouldKeepAlive = false
  res.once('finish', () => socket.destroySoon())
}
