import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Agents } from './guarded-agent.ts'

/** A request with a body that is at hand. */
export interface HttpRequest {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** A response whose body was read to its end or to the bound. */
export interface HttpAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  /** As UTF-8, without NUL, which a database text cannot hold. */
  body: string
}

/** Redirects that are followed: as many as HTTP clients usually do. */
const mostRedirects = 10

/** Bytes of a response that are read; more tells nobody anything. */
const mostBytes = 64 * 1024

/**
 * Sends a request and follows redirects; every connection is made by the guarded agents, so each step is judged.
 * What breaks off after the head of the response is no failure: the head says what the receiver thinks.
 * @throws Error when no response comes: refused target, network failure, too many redirects, or `signal`
 */
export async function callHttp(first: HttpRequest, agents: Agents, signal: AbortSignal): Promise<HttpAnswer> {
  let request = first
  for (let redirects = 0; ; redirects++) {
    const response = await send(request, agents, signal)
    const place = placeOf(response)
    if (place === undefined) return await readAnswer(response)
    response.destroy()
    if (redirects === mostRedirects) throw new Error(`stopped after ${mostRedirects} redirects`)
    request = redirected(request, response, place)
  }
}

/** Once more when a connection that was kept alive had just been closed by the other side. */
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
    const call =
      url.protocol === 'https:'
        ? requestHttps(url, { method, headers, signal, agent: agents['https:'] })
        : requestHttp(url, { method, headers, signal, agent: agents['http:'] })
    call.on('response', resolve)
    call.on('error', (error: NodeJS.ErrnoException) => {
      const stale = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      reject(stale ? new StaleConnection(error.message) : error)
    })
    // All that node tells when the receiver answers 101: neither a response nor an error, not even by `signal`.
    call.on('close', () => reject(new Error('the connection ended without a response')))
    call.end(body)
  })
}

/** Where a redirect leads; undefined: the response is no redirect. */
function placeOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined
}

/** RFC 9110, 15.4: 307 and 308 repeat the request, the others ask for the new place with GET. */
function redirected(
  request: HttpRequest,
  { statusCode: status = 0 }: IncomingMessage,
  place: string,
): HttpRequest {
  if (!URL.canParse(place, request.url)) throw new Error('redirected to what is no address')
  const url = new URL(place, request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('redirected to another protocol')
  const kept = withoutAuthorization(request, url)
  if (status >= 307 || request.method === 'GET') return { ...request, url, headers: kept }
  const { 'Content-Type': _, ...bare } = kept
  return { method: 'GET', url, headers: bare, body: undefined }
}

/** Credentials stay with the host they were given for, and are not sent in clear where they were not before. */
function withoutAuthorization(request: HttpRequest, to: URL): Readonly<Record<string, string>> {
  const from = request.url
  const downgraded = from.protocol === 'https:' && to.protocol === 'http:'
  if (from.hostname === to.hostname && !downgraded) return request.headers
  const { Authorization: _, ...others } = request.headers
  return others
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      const buffer = Buffer.from(chunk)
      chunks.push(buffer)
      bytes += buffer.length
      // Leaving the loop destroys the response, and with it the connection: the rest is never read.
      if (bytes >= mostBytes) break
    }
  } catch {
    // Broken off, or out of time: what came is what there is.
  }
  const text = Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8')
  return { status: response.statusCode ?? 0, headers: flat(response), body: text.replaceAll('\0', '\ufffd') }
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  const flattened: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flattened[name] = String(value)
  }
  return flattened
}
