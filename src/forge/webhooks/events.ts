import { eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import type { StoredEvent } from '../../db/outbox-events.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { insertDeliveries, type NewDelivery } from './delivery/delivery-store.ts'
import { type StoredHook, subscribedHooks } from './hook-store.ts'
import { chatText, isChat } from './payload/chats.ts'
import {
  coarseName,
  type EventName,
  type HookEvent,
  passesBranchFilter,
  subscribedName,
} from './payload/events.ts'
import { hookedKinds, messagesOf } from './payload/messages.ts'
import { type HookMessage, payloadText } from './payload/payload.ts'

/** Where an event happened: ids of the repository, if it concerns one, and of the account that owns it. */
interface EventLocation {
  repository: number | null
  owner: number | null
}

/** What is sent to hooks: a payload, and to chats the text of a message; undefined: chats get nothing. */
interface Body {
  event: HookEvent
  payload: unknown
  message: HookMessage | undefined
}

const bodyOf = (message: HookMessage): Body => ({ ...message, message })

/** Queues a message for one hook, whatever it subscribed to; a chat hook may send nothing for it. */
export async function enqueueFor(
  tx: Tx,
  hook: Pick<StoredHook, 'id' | 'type' | 'options'>,
  message: HookMessage,
): Promise<void> {
  await insertDeliveries(tx, deliveriesFor(bodyOf(message), [hook], tx.requestId ?? null), tx.now)
  await tx.wake()
}

/** Creates the deliveries of events, one for each message and hook that is subscribed to it. */
export const hookConsumer: Consumer = async (sql, events, now) => {
  const findHooks = cachedHookLookup(sql)
  const deliveries: NewDelivery[] = []
  for (const event of events)
    for (const { location, ref, body } of sendableOf(event)) {
      const hooks = await findHooks(subscribedName(body.event), location)
      const passing = hooks.filter((hook) => passesBranchFilter(hook.branch_filter, body.event, ref))
      if (passing.length > 0) deliveries.push(...deliveriesFor(body, passing, event.request_id))
    }
  await insertDeliveries(sql, deliveries, now)
}

/** What is sent for an event. `ref`: the full name of its ref, for branch filters. */
function sendableOf(stored: StoredEvent): { location: EventLocation; ref: string | undefined; body: Body }[] {
  return eventsOf([stored], hookedKinds).flatMap((event) => {
    const ref = event.kind === 'ref.updated' ? event.ref : undefined
    return messagesOf(event).map((message) => ({ location: event.location, ref, body: bodyOf(message) }))
  })
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
  { event, payload, message }: Body,
  hooks: readonly Pick<StoredHook, 'id' | 'type' | 'options'>[],
  request_id: string | null,
): NewDelivery[] {
  const generic = payloadText(event, payload)
  return hooks.flatMap(({ id, type, options }) => {
    const body = isChat(type) ? message && chatText(type, message, options) : generic
    return body === undefined
      ? []
      : [{ hook_id: id, event: coarseName(event), event_type: event, body, request_id }]
  })
}
