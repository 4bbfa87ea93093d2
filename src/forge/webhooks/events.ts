import * as v from 'valibot'
import type { Consumer } from '../../background/outbox.ts'
import type { Sql, Tx } from '../../db/sql.ts'
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
export interface HookPlace {
  repository: number | null
  owner: number | null
  /** The whole ref, for branch filters. */
  ref?: string
}

/** Tells the hooks of an event, if the transaction commits. The payload is frozen now. */
export async function emitHook(tx: Tx, { event, payload }: HookMessage, place: HookPlace): Promise<void> {
  await tx.emit(event, { payload, ...place })
}

/** `emitHook` of many, in their order, with one statement. */
export async function emitHooks(
  tx: Tx,
  told: readonly { message: HookMessage; place: HookPlace }[],
): Promise<void> {
  await tx.emitAll(
    told.map(({ message: { event, payload }, place }) => ({ kind: event, payload: { payload, ...place } })),
  )
}

/** Tells one hook and no other, whatever it subscribed to; if it is a chat, perhaps nothing. */
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

/** Every kind of event that hooks can be told of. */
const kinds: ReadonlySet<string> = new Set<HookEvent>([
  ...eventNames,
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
])
const isHookEvent = (kind: string): kind is HookEvent => kinds.has(kind)

/** Makes deliveries of events, for every hook that wants to hear of them. */
export const hookConsumer: Consumer = async (sql, events, now) => {
  const heard = rememberHooks(sql)
  const deliveries: NewDelivery[] = []
  for (const { kind, payload } of events) {
    if (!isHookEvent(kind)) continue
    const { ref, payload: body, ...place } = v.parse(Stored, payload)
    const hooks = await heard(subscribedName(kind), place)
    const wanted = hooks.filter((hook) => passesBranchFilter(hook.branch_filter, kind, ref))
    deliveries.push(...deliveriesFor(kind, body, wanted))
  }
  await insertDeliveries(sql, deliveries, now)
}

/** Asks once for each place and event: many pushes to one repository are the usual crowd. */
function rememberHooks(sql: Sql) {
  const known = new Map<string, ReturnType<typeof subscribedHooks>>()
  return (event: EventName, place: HookPlace) => {
    const key = `${event} ${place.repository} ${place.owner}`
    const hooks = known.get(key) ?? subscribedHooks(sql, event, place)
    known.set(key, hooks)
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
