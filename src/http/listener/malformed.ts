import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Log, limitLines } from '../../log.ts'
import { headOf, problemReply } from '../pipeline/reply.ts'
import type { ApiProfile } from '../route/api.ts'
import { Problem } from '../route/problem.ts'
import { bareAddress } from '../server/addresses.ts'

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
   * Whether its last request asked to upgrade. Node drops the bytes that arrived with such a request, since they could
   * belong to the other protocol. The next bytes may begin anywhere: they are not read, and the connection is closed after
   * the response.
   */
  isLost?: boolean
}

/** What node's parser could not read as a request. */
interface Malformed {
  /** The peer's IP address: the headers of a proxy cannot be read. */
  address: string
  status: number
  /** The code of the error; never what the client sent. */
  code: string
}

export type ReportMalformed = (request: Malformed) => void

/** Malformed requests by status, since the start of this process. For `src/metrics`. */
export const malformedCounts = new Map<number, number>([400, 408, 431].map((status) => [status, 0]))

/** Counts malformed requests, and logs at most one a second. */
export function malformedReporter(log: Log): ReportMalformed {
  const limited = limitLines()
  return ({ address, status, code }) => {
    malformedCounts.set(status, (malformedCounts.get(status) ?? 0) + 1)
    limited((unlogged) => log.info('malformed request', { address, status, code, unlogged }))
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
  const { status } = problem
  if (isReported(error, connection))
    report({ address: bareAddress(socket.remoteAddress ?? ''), status, code: error.code ?? '' })
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
 * Whether to report an error: not the second one of a connection, nor one in the body of a request, which has its own
 * line, nor a connection that ends or idles before its first byte.
 */
function isReported(
  { code = '' }: NodeJS.ErrnoException,
  { socket, response, malformed }: Connection,
): boolean {
  const isOfHttp = /^(?:HPE_|ERR_HTTP_)/.test(code)
  return isOfHttp && !malformed && socket.bytesRead > 0 && response?.req.complete !== false
}

/** Closes a connection after the response in progress. */
export function closeAfterResponse(socket: Socket, res: ServerResponse): void {
  if (res.writableFinished) return
  res.shouldKeepAlive = false
  res.once('finish', () => socket.destroySoon())
}
