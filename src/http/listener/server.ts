import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ApiProfile } from '../route/api.ts'
import { headerOf } from '../server/header.ts'
import { answerMalformed, type Connection, closeAfterResponse, type ReportMalformed } from './malformed.ts'

/** Timeouts for slow or silent peers, in milliseconds. */
const timeouts = {
  /** Until all headers have arrived. */
  headers: 10_000,
  /** Interval between checks for expired timeouts. */
  check: 2_000,
  /** Without a byte in either direction, also between requests; longer than nginx keeps its connections (60 s). */
  silence: 75_000,
}

/** Open connections of each server. */
const connections = new WeakMap<Server, Set<Connection>>()

/** A server that calls `handle` and is not yet listening. Unparsable requests get errors of `profile`, and `report` is called. */
export function createHttpServer(
  handle: RequestListener,
  profile: ApiProfile,
  report: ReportMalformed = () => {},
): Server {
  const server = createServer({
    // One timer covers all silence: a separate one between requests would be set and cleared with each of them.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: timeouts.check,
    noDelay: true,
    requireHostHeader: false, // `handle` refuses with the error of the API
  })
  // A client that has ended its side may still read the pending responses; by default node:http would close the
  // connection. The property is undocumented: in a version of Node without it, such a client gets no response.
  Object.assign(server, { httpAllowHalfOpen: true })
  const openConnections = new Set<Connection>()
  const bySocket = new WeakMap<Socket, Connection>()
  connections.set(server, openConnections)
  server.on('connection', (socket) => bySocket.set(socket, opened(socket, openConnections)))
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    const connection = bySocket.get(req.socket)
    if (connection?.isLost) return
    if (connection) storeRequest(connection, req, res)
    if (!server.listening || connection?.isLost) res.shouldKeepAlive = false
    if (!req.url?.startsWith('/')) req.url = originForm(req.url)
    handle(req, res)
  }
  server.headersTimeout = timeouts.headers
  // Bodies have their own timeouts (body.ts): a large push may take longer than any other request.
  server.requestTimeout = 0
  // Node would silently drop headers beyond a maximum. Accept all of them; `handle` refuses requests with too many.
  server.maxHeadersCount = 0
  server.setTimeout(timeouts.silence)
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, answer)
  const refuse = (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = socket instanceof Socket && bySocket.get(socket)
    if (connection) answerMalformed(error, connection, { profile, report })
    else socket.destroy()
  }
  server.on('clientError', refuse)
  // Without a listener, Node would close the connection without a response. With one, it removes its own listeners from
  // the socket, and an error without a listener would end the process.
  const noProxy = Object.assign(new Error('this server is no proxy'), { code: 'ERR_HTTP_CONNECT' })
  server.on('connect', (_, socket) => {
    socket.on('error', () => {}).on('timeout', () => socket.destroy())
    refuse(noProxy, socket)
  })
  return server
}

/** A new connection, one of `all` until it is closed. */
function opened(socket: Socket, all: Set<Connection>): Connection {
  // Node caches the address when it is first read, and cannot determine it after the client has left.
  void socket.remoteAddress
  const connection = { socket }
  all.add(connection)
  socket.once('close', () => all.delete(connection))
  return connection
}

/** Stores the last request of a connection, and whether the bytes after it are lost. */
function storeRequest(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
  connection.previous = connection.response?.writableFinished ? undefined : connection.response
  connection.response = res
  connection.isLost = headerOf(req, 'upgrade') !== undefined
}

/** Starts listening; returns the port, which differs from the requested one if that was 0. */
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

/**
 * Stops accepting connections, lets requests in progress finish for at most `milliseconds`, then closes the rest. Idle
 * connections are closed after `idle` milliseconds: a proxy may be sending a request on one, which it could not repeat.
 */
export function stop(server: Server, milliseconds: number, idle = 0): Promise<void> {
  const open = connections.get(server) ?? []
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections()
      // Node no longer knows the connections of `CONNECT` requests.
      for (const { socket } of open) socket.destroy()
    }, milliseconds)
    const closeIdle = () => {
      server.close()
      // Node does not count a connection as idle that sent no byte yet.
      for (const { socket } of open) if (socket.bytesRead === 0) socket.destroy()
    }
    const late = setTimeout(closeIdle, idle)
    // `close` of node:http would close idle connections at once.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut)
      clearTimeout(late)
      // Ends the timer of node:http.
      server.close()
      resolve()
    })
    for (const { socket, response } of open) if (response) closeAfterResponse(socket, response)
  })
}

/** Converts the absolute-form target of a request written for a proxy (RFC 9112, section 3.2.2) to a path. */
const originForm = (target = '') => target.replace(/^https?:\/\/[^/?]*/i, '') || '/'
