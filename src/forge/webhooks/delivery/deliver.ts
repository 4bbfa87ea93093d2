import type { Secrets } from '../../../db/encryption/secrets.ts'
import { messageOf } from '../../../errors.ts'
import type { Attempt, ClaimedDelivery } from './deliveries.ts'
import type { Agents } from './guarded-agent.ts'
import { MASK, shownAddress } from './hook-address.ts'
import { hookRequest } from './hook-request.ts'
import { hookPurpose, knownAddress, openAddress } from './hook-secrets.ts'
import { callHttp, type HttpAnswer, type HttpRequest } from './http-client.ts'

/** What deliveries are sent with. */
export interface Sender {
  agents: Agents
  secrets: Secrets
  /** Milliseconds that an attempt may take in all, redirects and the body of the response included. */
  timeout: number
  /** What `User-Agent` says. */
  agent: string
  clock: () => Date
}

/**
 * Makes one attempt to deliver. Never fails: what goes wrong is what the attempt says.
 * @throws the reason of `stop`, when that ended the attempt
 */
export async function deliver(
  delivery: ClaimedDelivery,
  sender: Sender,
  stop: AbortSignal,
): Promise<Attempt> {
  const startedAt = sender.clock()
  const begun = performance.now()
  const made = makeRequest(delivery, sender)
  const outcome = 'error' in made ? made : await call(made.request, sender, stop)
  const request =
    'error' in made
      ? { method: delivery.method, url: knownTarget(delivery, sender), headers: {} }
      : shown(made.request)
  const answered = 'answer' in outcome ? outcome.answer : undefined
  return {
    startedAt,
    milliseconds: Math.round(performance.now() - begun),
    ...request,
    status: answered?.status ?? null,
    responseHeaders: answered?.headers ?? null,
    responseBody: answered?.body ?? null,
    error: 'error' in outcome ? outcome.error : null,
  }
}

function makeRequest(delivery: ClaimedDelivery, { secrets, agent }: Sender) {
  const { hook_id: id, secret, authorization_header: header } = delivery
  if (!delivery.active) return { error: 'the webhook is not active' }
  try {
    const opened = {
      url: openAddress(secrets, delivery, hookPurpose.address(id)),
      secret: secret ? secrets.open(secret, hookPurpose.secret(id)) : undefined,
      authorization: header ? secrets.open(header, hookPurpose.authorization(id)) : undefined,
    }
    return { request: hookRequest({ ...delivery, ...opened }, agent) }
  } catch (error) {
    return { error: describe(error) }
  }
}

/** Where the request that could not be made would have gone. */
const knownTarget = (delivery: ClaimedDelivery, { secrets }: Sender) =>
  shownAddress(knownAddress(secrets, delivery, hookPurpose.address(delivery.hook_id)))

async function call(
  request: HttpRequest,
  { agents, timeout }: Sender,
  stop: AbortSignal,
): Promise<{ answer: HttpAnswer } | { error: string }> {
  // Not AbortSignal.any, which on Node 20 leaves a trace in `stop` for each attempt of the process's life.
  const ended = new AbortController()
  const end = () => ended.abort()
  const timer = setTimeout(end, timeout)
  stop.addEventListener('abort', end)
  try {
    return { answer: await callHttp(request, agents, ended.signal) }
  } catch (error) {
    stop.throwIfAborted()
    return { error: ended.signal.aborted ? `no response within ${timeout} ms` : describe(error) }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

/** How the history shows a request: no credentials, and the text only once. */
function shown({ method, url, headers }: HttpRequest): Pick<Attempt, 'method' | 'url' | 'headers'> {
  const address = new URL(shownAddress(url.href))
  if (method === 'GET') address.searchParams.delete('payload')
  const { Authorization: authorization, ...others } = headers
  const masked = authorization === undefined ? others : { ...others, Authorization: MASK }
  return { method, url: address.href, headers: masked }
}

/** The words of an error; one for several addresses that all failed has none of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describe).join('; ')
  return messageOf(error)
}
