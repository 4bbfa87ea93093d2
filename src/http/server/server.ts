import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Socket } from 'node:net'
import { headOf, problemReply } from '../pipeline/reply.ts'
import type { ApiProfile } from '../route/api.ts'
import { Problem } from '../route/problem.ts'

/** Times against slow or silent peers, in milliseconds. */
const timeouts = {
  /** To send all headers. */
  headers: 10_000,
  /** Between two looks at who is too late. */
  check: 2_000,
  /** Without a byte in either direction, be it between two requests; longer than nginx keeps its connections (60 s). */
  silence: 75_000,
}

/** What is known of an open connection. */
interface Connection {
  socket: Socket
  /** The response to its last request. */
  response?: ServerResponse
  /** The one before, where it was still to be sent when the last request came. */
  before?: ServerResponse | undefined
  /** Whether something came that is no HTTP, so that it ends with the answers that are owed. */
  broken?: boolean
}

/** Open connections of each server. */
const connections = new WeakMap<Server, Set<Connection>>()

/** A server over `handle` that is not yet listening. `voice` words what cannot even be parsed. */
export function createHttpServer(handle: RequestListener, profile: ApiProfile): Server {
  const server = createServer({
    // One bound for all silence: another one between requests would be set and unset with each of them.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: timeouts.check,
    noDelay: true,
    requireHostHeader: false,
  })
  // A client that has ended its side may still read, and is owed its answers; node:http would end ours at once. No
  // documented name: where it is missing, such a client is left without.
  Object.assign(server, { httpAllowHalfOpen: true })
  const open = new Set<Connection>()
  const bySocket = new WeakMap<Socket, Connection>()
  connections.set(server, open)
  server.on('connection', (socket) => {
    const connection = { socket }
    open.add(connection)
    bySocket.set(socket, connection)
    socket.once('close', () => open.delete(connection))
  })
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    const connection = bySocket.get(req.socket)
    if (connection) {
      connection.before = connection.response?.writableFinished ? undefined : connection.response
      connection.response = res
    }
    if (!server.listening) res.shouldKeepAlive = false
    if (!req.url?.startsWith('/')) req.url = originForm(req.url)
    handle(req, res)
  }
  server.headersTimeout = timeouts.headers
  // Bodies have their own clock (body.ts): a large push may take longer than any page.
  server.requestTimeout = 0
  // What goes beyond a number would be dropped in silence: all come, and `handle` refuses too many.
  server.maxHeadersCount = 0
  server.setTimeout(timeouts.silence)
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, answer)
  server.on('clientError', (error, socket) => {
    const connection = socket instanceof Socket && bySocket.get(socket)
    if (connection) answerMalformed(error, connection, profile)
    else socket.destroy()
  })
  return server
}

/** Starts listening; gives the port, which differs from the one asked for when that was 0. */
export function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host && { host }) }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Accepts nothing new, lets what has begun finish for at most `milliseconds`, then cuts the rest. */
export function stop(server: Server, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), milliseconds)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
    // What node does not call idle: a connection that has not said a word yet, and one whose answer is on its way.
    for (const { socket, response } of connections.get(server) ?? []) {
      if (socket.bytesRead === 0) socket.destroy()
      if (response) lastAnswer(socket, response)
    }
  })
}

/** Ends a connection after an answer that is on its way. */
function lastAnswer(socket: Socket, res: ServerResponse): void {
  if (res.writableFinished) return
  res.shouldKeepAlive = false
  res.once('finish', () => socket.destroySoon())
}

/** A request that was written for a proxy names us in its target as well (RFC 9112, section 3.2.2). */
const originForm = (target = '') => target.replace(/^https?:\/\/[^/?]*/i, '') || '/'

const malformed: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'the request did not arrive in time'),
}
const noHttp = new Problem(400, 'the request is not valid HTTP')

/**
 * Answers what is no HTTP, or too much of it, in the API's own shape; the connection ends there. Requests that came
 * whole before it get their answers: a refusal would be taken for the answer of the first of them.
 */
function answerMalformed(error: NodeJS.ErrnoException, connection: Connection, profile: ApiProfile): void {
  const { socket, response: last, before, broken } = connection
  connection.broken = true
  const owed = [last, before].find((res) => res?.req.complete && !res.writableFinished)
  // Nothing may be written into the middle of an answer.
  const answering = socket.bytesWritten > 0 && last?.writableFinished === false
  // Nor a second answer to a request whose body was cut off behind the first.
  const answered = last?.writableFinished === true && !last.req.complete
  if (error.code === 'ECONNRESET' || !socket.writable || answered || (answering && !owed)) {
    socket.destroy()
    return
  }
  if (owed) {
    if (!broken) lastAnswer(socket, owed)
    return
  }
  const reply = problemReply(profile, malformed[error.code ?? ''] ?? noHttp)
  const head = headOf({ ...reply, headers: [...reply.headers, 'Connection', 'close'] })
  socket.end(`${head}\r\n${reply.chunks.join('')}`)
}
