import { createHmac } from 'node:crypto'
import type { ClaimedDelivery } from './delivery-store.ts'
import type { HttpRequest } from './http-client.ts'

/** What a request to a receiver is made from. */
export interface HookRequestInput
  extends Pick<
    ClaimedDelivery,
    'uuid' | 'event' | 'event_type' | 'request_id' | 'body' | 'scope' | 'type' | 'content_type' | 'method'
  > {
  url: string
  /** If empty, the signature headers are sent empty. */
  secret: string
  /** The complete value of `Authorization`; empty: the header is not sent. */
  authorization: string
}

/** The types with the generic payload; all others are chats, whose services accept JSON only. */
const generic = new Set(['gitea', 'gogs'])

/**
 * The request of one delivery. Signatures cover the JSON text, also if it is sent as a form.
 * @throws TypeError if the URL of the hook is invalid
 */
export function hookRequest(input: HookRequestInput, agent: string): HttpRequest {
  const { headers, ...request } = transportOf(input)
  const common = { 'User-Agent': agent, ...eventHeaders(input), ...signatures(input) }
  const authorization = input.authorization === '' ? {} : { Authorization: input.authorization }
  return { ...request, headers: { ...headers, ...common, ...authorization } }
}

/** Method, address, content headers and body by hook type, method and content type. */
function transportOf({ type, url: target, content_type, method, body, uuid }: HookRequestInput): HttpRequest {
  const url = new URL(target)
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

/** Receivers expect the header names of the forge that they were written for. */
function eventHeaders({
  uuid,
  event,
  event_type,
  scope,
  request_id,
}: HookRequestInput): Record<string, string> {
  const headers: Record<string, string> = request_id === null ? {} : { 'X-Request-Id': request_id }
  for (const forge of ['Gitea', 'Gogs', 'GitHub']) {
    headers[`X-${forge}-Delivery`] = uuid
    headers[`X-${forge}-Event`] = event
    headers[`X-${forge}-Event-Type`] = event_type
  }
  for (const forge of ['Gitea', 'GitHub']) headers[`X-${forge}-Hook-Installation-Target-Type`] = scope
  return headers
}

function signatures({ secret, body }: HookRequestInput): Record<string, string> {
  const sign = (algorithm: string) =>
    secret === '' ? '' : createHmac(algorithm, secret).update(body).digest('hex')
  const sha256 = sign('sha256')
  return {
    'X-Gitea-Signature': sha256,
    'X-Gogs-Signature': sha256,
    'X-Hub-Signature': `sha1=${sign('sha1')}`,
    'X-Hub-Signature-256': `sha256=${sha256}`,
  }
}
