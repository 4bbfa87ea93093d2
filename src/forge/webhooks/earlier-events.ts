import * as v from 'valibot'
import type { StoredEvent } from '../../db/outbox-events.ts'
import { eventNames, type HookEvent } from './payload/events.ts'
import { readMessage } from './payload/read.ts'

/*
 * Events that the release before 0035_event_kinds.sql has queued: the payload of a webhook under the name of the webhook
 * event. Read for one release, then this file and payload/read.ts go.
 */

const Earlier = v.object({
  repository: v.nullable(v.number()),
  owner: v.nullable(v.number()),
  ref: v.optional(v.string()),
  payload: v.unknown(),
})

const isHookEvent = (kind: string): kind is HookEvent => eventNames.some((name) => name === kind)

/** Undefined for an event of this release. @throws ValiError when it is malformed */
export function earlierEvent({ kind, payload: stored }: StoredEvent) {
  if (!isHookEvent(kind)) return undefined
  const { ref, payload, ...location } = v.parse(Earlier, stored)
  return { location, ref, body: { event: kind, payload, message: readMessage(kind, payload) } }
}
