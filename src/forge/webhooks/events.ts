import * as v from 'valibot'
import type { Consumer } from '../../background/outbox.ts'
import type { EventDraft, Sql, Tx } from '../../db/sql.ts'
import { insertDeliveries, type NewDelivery } from './delivery/deliveries.ts'
import { type StoredHook, subscribedHooks } from './hook-store.ts'
import { type ChatType, chatText, chatTypes } from './payload/chats.ts'
import {
  coarseName,
  type EventName,
  eventNames,
  type HookEvent,
  passesBranchFilter,
  subscribedName,
} from './payload/events.ts'
import { type HookMessage, payloadText } from './payload/payload.ts'
import { readMessage } from './payload/read.ts'

/** Where an event happened: ids of the repository, if it concerns one, and of the account that owns it. */
interface EventLocation {
  repository: number | null
  owner: number | null
  /** The full name of the ref, for branch filters. */
  ref?: string
}

/** Queues an event for the hooks, if the transaction commits. The payload is serialized now. */
export async function emitHook(tx: Tx, message: HookMessage, location: EventLocation): Promise<void> {
  await tx.emitAll([hookEvent(message, location)])
}

/** Queues several events in their order with one statement. */
export async function emitHooks(
  tx: Tx,
  events: readonly { message: HookMessage; location: EventLocation }[],
): Promise<void> {
  await tx.emitAll(events.map(({ message, location }) => hookEvent(message, location)))
}

/** The event that `emitHook` queues. */
export function hookEvent({ event, payload }: HookMessage, location: EventLocation): EventDraft {
  return { kind: event, payload: { payload, ...location } }
}

/** Queues an event for one hook, whatever it subscribed to; a chat hook may send nothing for it. */
export async function enqueueFor(
  tx: Tx,
  hook: Pick<StoredHook, 'id' | 'type' | 'options'>,
  { event, payload }: HookMessage,
): Promise<void> {
  await insertDeliveries(tx, deliveriesFor(event, payload, [hook]), tx.now)
  await tx.wake()
}

const Stored = v.object({
  repository: v.nullable(v.number()),
  owner: v.nullable(v.number()),
  ref: v.optional(v.string()),
  payload: v.unknown(),
})

/** Every kind of event that hooks can receive. */
const kinds: ReadonlySet<string> = new Set<HookEvent>([
  ...eventNames,
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
])
const isHookEvent = (kind: string): kind is HookEvent => kinds.has(kind)

/** Creates the deliveries of events, one for each hook that is subscribed to the event. */
export const hookConsumer: Consumer = async (sql, events, now) => {
  const findHooks = cachedHookLookup(sql)
  const deliveries: NewDelivery[] = []
  for (const { kind, payload } of events) {
    if (!isHookEvent(kind)) continue
    const { ref, payload: body, ...location } = v.parse(Stored, payload)
    const hooks = await findHooks(subscribedName(kind), location)
    const wanted = hooks.filter((hook) => passesBranchFilter(hook.branch_filter, kind, ref))
    deliveries.push(...deliveriesFor(kind, body, wanted))
  }
  await insertDeliveries(sql, deliveries, now)
}

/** Looks up the hooks once per location and event, since many events of a batch are pushes to one repository. */
function cachedHookLookup(sql: Sql) {
  const cache = new Map<string, ReturnType<typeof subscribedHooks>>()
  return (event: EventName, location: EventLocation) => {
    const key = `${event} ${location.repository} ${location.owner}`
    const hooks = cache.get(key) ?? subscribedHooks(sql, event, location)
    cache.set(key, hooks)
    return hooks
  }
}

function deliveriesFor(
  event: HookEvent,
  payload: unknown,
  hooks: readonly Pick<StoredHook, 'id' | 'type' | 'options'>[],
): NewDelivery[] {
  const generic = payloadText(event, payload)
  const message = hooks.some(({ type }) => isChat(type)) ? readMessage(event, payload) : undefined
  return hooks.flatMap(({ id, type, options }) => {
    const body = isChat(type) ? message && chatText(type, message, options) : generic
    return body === undefined ? [] : [{ hookId: id, event: coarseName(event), eventType: event, body }]
  })
}

const isChat = (type: string): type is ChatType => chatTypes.some((each) => each === type)
