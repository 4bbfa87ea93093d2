import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredAttempt, StoredDelivery } from '../webhooks/delivery/delivery-history-store.ts'
import { shownAddress } from '../webhooks/delivery/hook-address.ts'
import type { StoredHook } from '../webhooks/hook-store.ts'
import { listedEvents } from '../webhooks/payload/events.ts'

/** Hook of the specification. It contains no secrets, and does not say whether a site hook is a default one. */
export const Hook = shape('Hook', {
  id: int,
  name: v.string(),
  type: v.string(),
  branch_filter: described(v.string(), 'Glob of branches whose pushes count; empty: all'),
  config: described(
    v.record(v.string(), v.string()),
    '`url` with masked credentials, and `content_type`; for chats also the appearance of messages. The secret is never shown',
  ),
  events: v.array(v.string()),
  authorization_header: described(v.literal(''), 'Always empty: it is never shown'),
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
    events: [...listedEvents(hook)],
    authorization_header: '',
    active: hook.active,
    updated_at: printTime(hook.updated_at, EPOCH),
    created_at: printTime(hook.created_at, EPOCH),
  }
}

/** Clients written for Gitea read all of these members, set or not. */
const slackOptions = { channel: '', username: '', icon_url: '', color: '' }

function configOf({ url, content_type, type, options }: StoredHook): Record<string, string> {
  const empty = type === 'slack' ? slackOptions : {}
  const config: Record<string, string> = { url: shownAddress(url), content_type, ...empty }
  for (const [name, value] of Object.entries(options)) if (value !== undefined) config[name] = value
  return config
}

const delivery = {
  id: int,
  uuid: described(v.string(), 'The value of `X-Gitea-Delivery`, the same for every attempt'),
  event: described(v.string(), 'The coarse name of the event'),
  event_type: described(v.string(), 'The fine name of the event'),
  state: v.picklist(['waiting', 'succeeded', 'failed']),
  status: described(v.nullable(int), 'HTTP status of the last attempt; null: no answer, or no attempt yet'),
  attempts: described(int, 'Number of attempts so far'),
  redelivery_of: described(
    v.nullable(int),
    'Id of the delivery that this one repeats; null: it repeats none',
  ),
  created_at: moment,
  finished_at: described(v.nullable(moment), 'Null while it waits'),
  next_attempt_at: described(v.nullable(moment), 'When the next attempt is due; null: none is'),
}

/** The delivery of one event to one webhook. Our extension. */
export const HookDelivery = shape('HookDelivery', delivery)
export type HookDelivery = v.InferOutput<typeof HookDelivery>

/** One delivery attempt. The authorization in `request.headers` is masked; response bodies are truncated. */
const HookAttempt = shape('HookAttempt', {
  number: described(int, 'Counted from 1'),
  started_at: moment,
  duration_ms: described(int, 'Milliseconds'),
  request: v.object({ method: v.string(), url: v.string(), headers: v.record(v.string(), v.string()) }),
  response: v.nullable(
    v.object({ status: int, headers: v.record(v.string(), v.string()), body: v.string() }),
  ),
  error: described(v.nullable(v.string()), 'Why there was no answer; null where there was one'),
})

/** A delivery with the text that is sent and signed, and its attempts, oldest first. */
export const HookDeliveryDetails = shape('HookDeliveryDetails', {
  ...delivery,
  payload: described(v.string(), 'The text that is sent and signed'),
  history: described(v.array(HookAttempt), 'Attempts, oldest first'),
})

export function printDelivery(row: StoredDelivery): HookDelivery {
  const { id, uuid, event, event_type, state, status, attempts, redelivery_of } = row
  return {
    id,
    uuid,
    event,
    event_type,
    state,
    status,
    attempts,
    redelivery_of,
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
