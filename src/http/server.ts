import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Voice } from './api.ts'
import { Problem } from './problem.ts'

/** Times against slow or silent peers, in milliseconds. */
const timeouts = {
  /** To send all headers. */
  headers: 10_000,
  /** Between two requests of a connection; longer than nginx keeps its upstream connections (60 s). */
  keepAlive: 75_000,
  /** Without a byte in either direction. */
  silence: 60_000,
}

/** A server over `handle` that is not yet listening. `voice` words what cannot even be parsed. */
export function createHttpServer(handle: RequestListener, voice: Voice): Server {
  const server = createServer(
    { keepAliveTimeout: timeouts.keepAlive, noDelay: true, requireHostHeader: false },
    handle,
  )
  server.headersTimeout = timeouts.headers
  // Bodies have their own clock (body.ts): a large push may take longer than any page.
  server.requestTimeout = 0
  server.maxHeadersCount = 100
  server.setTimeout(timeouts.silence)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('clientError', (error, socket) => answerGarbage(error, socket as Socket, voice))
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
  })
}

const garbage: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'the request did not arrive in time'),
}

/** Answers what is no HTTP, or too much of it, in the API's own shape; the connection ends there. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Socket, voice: Voice): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  const problem = garbage[error.code ?? ''] ?? new Problem(400, 'the request is not valid HTTP')
  const body = JSON.stringify(voice.problem(problem))
  const head = [
    `HTTP/1.1 ${problem.status} Refused`,
    'Connection: close',
    `Content-Type: ${voice.json}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
