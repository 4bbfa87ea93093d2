import { createHmac } from 'node:crypto'
import type { HttpRequest } from './http-client.ts'

/** What a request to a receiver is made of. */
export interface HookCall {
  uuid: string
  event: string
  event_type: string
  /** The JSON text. */
  body: string
  scope: string
  type: string
  url: string
  content_type: string
  method: string
  /** Absent: the signatures are there and empty. */
  secret: string | undefined
  /** The whole value of `Authorization`. */
  authorization: string | undefined
}

/** Types that speak for themselves; all others are chats, whose services take JSON only. */
const generic = new Set(['gitea', 'gogs'])

/**
 * The request of one delivery. Signatures cover the JSON text, also where it travels as a form.
 * @throws TypeError when the URL of the hook cannot be read
 */
export function hookRequest(call: HookCall, agent: string): HttpRequest {
  const headers = { 'User-Agent': agent, ...eventHeaders(call), ...signatures(call) }
  const authorized = call.authorization ? { ...headers, Authorization: call.authorization } : headers
  return { ...carrier(call), headers: { ...carrier(call).headers, ...authorized } }
}

/** How the text travels: method, address and the headers that go with them. */
function carrier({ type, url: address, content_type, method, body, uuid }: HookCall): HttpRequest {
  const url = new URL(address)
  if (type === 'matrix') {
    // Matrix client-server API, "PUT …/send/{eventType}/{txnId}": the same transaction id twice is one message.
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${uuid}`
    return { method: 'PUT', url, headers: json, body }
  }
  if (generic.has(type) && method === 'GET') {
    url.searchParams.set('payload', body)
    return { method, url, headers: {}, body: undefined }
  }
  if (generic.has(type) && content_type === 'form') {
    return { method: 'POST', url, headers: form, body: new URLSearchParams({ payload: body }).toString() }
  }
  return { method: 'POST', url, headers: json, body }
}

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Receivers look for the names of the forge they were written for. */
function eventHeaders({ uuid, event, event_type, scope }: HookCall): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const forge of ['Gitea', 'Gogs', 'GitHub']) {
    headers[`X-${forge}-Delivery`] = uuid
    headers[`X-${forge}-Event`] = event
    headers[`X-${forge}-Event-Type`] = event_type
  }
  for (const forge of ['Gitea', 'GitHub']) headers[`X-${forge}-Hook-Installation-Target-Type`] = scope
  return headers
}

function signatures({ secret, body }: HookCall): Record<string, string> {
  const sign = (algorithm: string) => (secret ? createHmac(algorithm, secret).update(body).digest('hex') : '')
  const sha256 = sign('sha256')
  return {
    'X-Gitea-Signature': sha256,
    'X-Gogs-Signature': sha256,
    'X-Hub-Signature': `sha1=${sign('sha1')}`,
    'X-Hub-Signature-256': `sha256=${sha256}`,
  }
}
