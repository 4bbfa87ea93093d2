import * as v from 'valibot'
import { int } from '../../http/route/values.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { moment } from '../users/user.shape.ts'
import type { StoredAttempt, StoredDelivery } from './delivery/delivery-history.ts'
import { shownAddress } from './delivery/hook-address.ts'
import type { StoredHook } from './hook-store.ts'
import { listedEvents } from './payload/events.ts'

/** Hook of the specification. Nothing of it says what is secret, nor whether the site's hook is a default one. */
export const Hook = v.object({
  id: int,
  name: v.string(),
  type: v.string(),
  branch_filter: v.string(),
  /** `url`, its user and password masked, and `content_type`; of a chat also how its messages look. */
  config: v.record(v.string(), v.string()),
  events: v.array(v.string()),
  /** Can be written, and is never told. */
  authorization_header: v.literal(''),
  active: v.boolean(),
  updated_at: moment,
  created_at: moment,
})
export type Hook = v.InferOutput<typeof Hook>

export function printHook(hook: StoredHook): Hook {
  return {
    id: hook.id,
    name: hook.name,
    type: hook.type,
    branch_filter: hook.branch_filter,
    config: configOf(hook),
    events: [...listedEvents({ everything: hook.all_events, events: hook.events })],
    authorization_header: '',
    active: hook.active,
    updated_at: printTime(hook.updated_at, EPOCH),
    created_at: printTime(hook.created_at, EPOCH),
  }
}

/** Clients of the original read all of them, whether they were given or not. */
const slackOptions = { channel: '', username: '', icon_url: '', color: '' }

function configOf({ url, content_type, type, options }: StoredHook): Record<string, string> {
  const empty = type === 'slack' ? slackOptions : {}
  const config: Record<string, string> = { url: shownAddress(url), content_type, ...empty }
  for (const [name, value] of Object.entries(options)) if (value !== undefined) config[name] = value
  return config
}

const delivery = {
  id: int,
  /** As `X-Gitea-Delivery` says it, the same in every attempt. */
  uuid: v.string(),
  /** The coarse name of the event, and the fine one. */
  event: v.string(),
  event_type: v.string(),
  state: v.picklist(['waiting', 'succeeded', 'failed']),
  /** HTTP status of the last attempt; null when it had no response, or there was none yet. */
  status: v.nullable(int),
  /** How many attempts were made. */
  attempts: int,
  /** Id of the delivery that this one repeats. */
  redelivery_of: v.nullable(int),
  created_at: moment,
  finished_at: v.nullable(moment),
  next_attempt_at: v.nullable(moment),
}

/** One event on its way to one webhook: an extension of ours. */
export const HookDelivery = v.object(delivery)
export type HookDelivery = v.InferOutput<typeof HookDelivery>

/** One attempt to deliver. The authorization in `request.headers` is masked; bodies of responses are cut. */
export const HookAttempt = v.object({
  number: int,
  started_at: moment,
  duration_ms: int,
  request: v.object({ method: v.string(), url: v.string(), headers: v.record(v.string(), v.string()) }),
  response: v.nullable(
    v.object({ status: int, headers: v.record(v.string(), v.string()), body: v.string() }),
  ),
  /** Why no response came. */
  error: v.nullable(v.string()),
})

/** A delivery with the text that is sent and signed, and its attempts, the first one first. */
export const HookDeliveryDetails = v.object({
  ...delivery,
  payload: v.string(),
  history: v.array(HookAttempt),
})

export function printDelivery(row: StoredDelivery): HookDelivery {
  const { id, uuid, event, event_type, state, status, attempts, redelivery_of } = row
  return {
    ...{ id, uuid, event, event_type, state, status, attempts, redelivery_of },
    created_at: printTime(row.created_at, EPOCH),
    finished_at: row.finished_at && printTime(row.finished_at, EPOCH),
    next_attempt_at: row.next_attempt_at && printTime(row.next_attempt_at, EPOCH),
  }
}

export function printAttempt(row: StoredAttempt): v.InferOutput<typeof HookAttempt> {
  const { number, duration_ms, request_method: method, request_url: url, request_headers: headers } = row
  const { status, response_headers, response_body, error } = row
  return {
    number,
    started_at: printTime(row.started_at, EPOCH),
    duration_ms,
    request: { method, url, headers: { ...headers } },
    response:
      status === null ? null : { status, headers: { ...response_headers }, body: response_body ?? '' },
    error,
  }
}
