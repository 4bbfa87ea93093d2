import { messageOf } from '../../../common/errors.ts'
import { done, failed, type Outcome } from '../../../common/outcome.ts'
import type { Secrets } from '../../../db/encryption/secrets.ts'
import type { Attempt, ClaimedDelivery } from './delivery-store.ts'
import type { Agents } from './guarded-agent.ts'
import { MASK, shownAddress } from './hook-address.ts'
import { hookRequest } from './hook-request.ts'
import { hookPurpose, openHook, readableAddress } from './hook-secrets.ts'
import { callHttp, type HttpRequest, type HttpResponse } from './http-client.ts'

/** What sending a delivery needs. */
export interface Sender {
  agents: Agents
  secrets: Secrets
  /** Maximum duration of an attempt in milliseconds, including redirects and reading the response body. */
  timeout: number
  /** Value of `User-Agent`. */
  agent: string
  clock: () => Date
}

/**
 * Makes one delivery attempt. A failure is recorded in the attempt, not thrown.
 * @throws the reason of `stop`, if it ended the attempt
 */
export async function deliver(
  delivery: ClaimedDelivery,
  sender: Sender,
  stop: AbortSignal,
): Promise<Attempt> {
  const startedAt = sender.clock()
  const start = performance.now()
  const prepared = makeRequest(delivery, sender)
  const result = prepared.ok ? await call(prepared.value, sender, stop) : prepared
  const request = prepared.ok
    ? maskedRequest(prepared.value)
    : { method: delivery.method, url: targetOf(delivery, sender), headers: {} }
  const response = result.ok ? result.value : undefined
  return {
    startedAt,
    milliseconds: Math.round(performance.now() - start),
    ...request,
    status: response?.status ?? null,
    responseHeaders: response?.headers ?? null,
    responseBody: response?.body ?? null,
    error: result.ok ? null : result.fault,
  }
}

/** The request of a delivery; a fault is text for the history. */
function makeRequest(delivery: ClaimedDelivery, { secrets, agent }: Sender): Outcome<HttpRequest, string> {
  if (!delivery.active) return failed('the webhook is not active')
  try {
    return done(hookRequest({ ...delivery, ...openHook(secrets, delivery.hook_id, delivery) }, agent))
  } catch (error) {
    return failed(describe(error))
  }
}

/** The address of a request that could not be made, for the history. */
const targetOf = (delivery: ClaimedDelivery, { secrets }: Sender) =>
  shownAddress(readableAddress(secrets, delivery.address, hookPurpose.address(delivery.hook_id)))

async function call(
  request: HttpRequest,
  { agents, timeout }: Sender,
  stop: AbortSignal,
): Promise<Outcome<HttpResponse, string>> {
  // Not AbortSignal.any, which on Node 20 leaks memory in `stop` for each attempt.
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeout)
  stop.addEventListener('abort', abort)
  try {
    return done(await callHttp(request, agents, controller.signal))
  } catch (error) {
    stop.throwIfAborted()
    return failed(controller.signal.aborted ? `no response within ${timeout} ms` : describe(error))
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', abort)
  }
}

/** The request as the history shows it: without credentials, and with the text only once. */
function maskedRequest({ method, url, headers }: HttpRequest): Pick<Attempt, 'method' | 'url' | 'headers'> {
  const address = new URL(shownAddress(url.href))
  if (method === 'GET') address.searchParams.delete('payload')
  const { Authorization: authorization, ...others } = headers
  const masked = authorization === undefined ? others : { ...others, Authorization: MASK }
  return { method, url: address.href, headers: masked }
}

/** The message of an error; an AggregateError of several addresses has none of its own, so theirs are joined. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describe).join('; ')
  return messageOf(error)
}
