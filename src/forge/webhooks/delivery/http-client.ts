import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Agents } from './guarded-agent.ts'

/** A request whose body is complete. */
export interface HttpRequest {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** A response whose body was read to its end or to `maxBytes`. */
export interface HttpResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Decoded as UTF-8; NUL is replaced, because PostgreSQL cannot store it in a text. */
  body: string
}

/** Maximum number of redirects; HTTP clients usually follow as many. */
const maxRedirects = 10

/** Maximum number of bytes of a response body that are read. */
const maxBytes = 64 * 1024

/**
 * Sends a request and follows redirects. The guarded agents make every connection, so each redirect target is checked.
 * A failure after the response head is no error: the status already shows whether the receiver accepted the delivery.
 * @throws Error if there is no response: a target that is not allowed, network failure, too many redirects, or `signal`
 */
export async function callHttp(
  first: HttpRequest,
  agents: Agents,
  signal: AbortSignal,
): Promise<HttpResponse> {
  let request = first
  for (let redirects = 0; ; redirects++) {
    const response = await send(request, agents, signal)
    const location = redirectLocation(response)
    if (location === undefined) return await readResponse(response)
    response.destroy()
    if (redirects === maxRedirects) throw new Error(`stopped after ${maxRedirects} redirects`)
    request = redirected(request, response, location)
  }
}

/** Sends again if the receiver had just closed the kept-alive connection. */
async function send(request: HttpRequest, agents: Agents, signal: AbortSignal): Promise<IncomingMessage> {
  try {
    return await sendOnce(request, agents, signal)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
    return await sendOnce(request, agents, signal)
  }
}

class StaleConnection extends Error {}

function sendOnce({ method, url, headers, body }: HttpRequest, agents: Agents, signal: AbortSignal) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing =
      url.protocol === 'https:'
        ? requestHttps(url, { method, headers, signal, agent: agents['https:'] })
        : requestHttp(url, { method, headers, signal, agent: agents['http:'] })
    outgoing.on('response', resolve)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      reject(stale ? new StaleConnection(error.message) : error)
    })
    // The only event if the receiver answers 101: node emits neither a response nor an error, not even for `signal`.
    outgoing.on('close', () => reject(new Error('the connection ended without a response')))
    outgoing.end(body)
  })
}

/** Target of a redirect; undefined if the response is not a redirect. */
function redirectLocation({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined
}

/** RFC 9110, 15.4: 307 and 308 repeat the request, the others become a GET of the new location. */
function redirected(
  request: HttpRequest,
  { statusCode: status = 0 }: IncomingMessage,
  location: string,
): HttpRequest {
  if (!URL.canParse(location, request.url)) throw new Error('redirected to something that is not an address')
  const url = new URL(location, request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('redirected to another protocol')
  const headers = withoutAuthorization(request, url)
  if (status >= 307 || request.method === 'GET') return { ...request, url, headers }
  const { 'Content-Type': _, ...bare } = headers
  return { method: 'GET', url, headers: bare, body: undefined }
}

/**
 * Removes the credentials if scheme, host or port change, as browsers do (Fetch, section 4.4): another port may be
 * another service.
 */
function withoutAuthorization(request: HttpRequest, to: URL): Readonly<Record<string, string>> {
  if (request.url.origin === to.origin) return request.headers
  const { Authorization: _, ...others } = request.headers
  return others
}

async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      const buffer = Buffer.from(chunk)
      chunks.push(buffer)
      bytes += buffer.length
      // Leaving the loop destroys the response and its connection; the rest is not read.
      if (bytes >= maxBytes) break
    }
  } catch {
    // The connection broke or timed out: use what was received.
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
  return {
    status: response.statusCode ?? 0,
    headers: flatHeaders(response),
    body: text.replaceAll('\0', '\ufffd'),
  }
}

function flatHeaders({ headers }: IncomingMessage): Record<string, string> {
  const flattened: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flattened[name] = String(value)
  }
  return flattened
}
