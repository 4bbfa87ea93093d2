import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { after } from 'node:test'
import { listen, stop } from '../../src/http/listener/server.ts'

/** A request as the receiver got it. */
export interface Received {
  method: string
  /** Path and query. */
  target: string
  headers: IncomingHttpHeaders
  /** Names as they were written. */
  names: readonly string[]
  body: string
}

/** A real receiver of webhooks. */
export interface Receiver {
  /** `http://127.0.0.1:port`, without a slash. */
  url: string
  port: number
  received: Received[]
  /** The most requests that were open at one time. */
  mostOpen: () => number
}

/** How a receiver answers; it gets the request with its body read. */
export type Answer = (response: ServerResponse, request: Received) => void

/** Listens on every address of the loopback; answers 200 unless told otherwise. Ends after the tests of the file. */
export async function startReceiver(answer: Answer = (response) => response.end('ok')): Promise<Receiver> {
  const received: Received[] = []
  let open = 0
  let mostOpen = 0
  const server = createServer(async (request, response) => {
    mostOpen = Math.max(mostOpen, ++open)
    response.on('close', () => open--)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: target = '', headers, rawHeaders } = request
    const names = rawHeaders.filter((_, at) => at % 2 === 0)
    const one = { method, target, headers, names, body: Buffer.concat(chunks).toString() }
    received.push(one)
    answer(response, one)
  })
  const port = await listen(server, 0, '0.0.0.0')
  after(() => {
    server.closeAllConnections()
    return stop(server, 100)
  })
  return { url: `http://127.0.0.1:${port}`, port, received, mostOpen: () => mostOpen }
}
