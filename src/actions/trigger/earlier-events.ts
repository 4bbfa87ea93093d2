import * as v from 'valibot'
import type { StoredEvent } from '../../db/outbox-events.ts'
import { isZeroId } from '../../git/program/names.ts'
import { BOT_ID } from '../run/bot.ts'
import type { TriggerDraft } from './trigger-store.ts'

/*
 * Updates of refs that the release before 0035_event_kinds.sql has queued: the payload of a webhook under the name of
 * the webhook event. Read for one release, then this file goes.
 */

const Earlier = v.object({
  repository: v.number(),
  ref: v.string(),
  payload: v.looseObject({
    before: v.optional(v.string()),
    after: v.optional(v.string()),
    sha: v.optional(v.string()),
    sender: v.object({ id: v.number() }),
  }),
})

/** Empty for an event of this release, and for one that starts no workflow. @throws ValiError when it is malformed */
export function earlierTriggers({ kind, payload: stored }: StoredEvent): TriggerDraft[] {
  if (kind !== 'push' && kind !== 'create' && kind !== 'delete') return []
  const { repository, ref, payload } = v.parse(Earlier, stored)
  const after = payload.after ?? payload.sha ?? null
  if (kind === 'push' && (after === null || isZeroId(after))) return []
  const actor = payload.sender.id
  const ends = { before: payload.before ?? null, after }
  return [
    { repository_id: repository, kind, ref, ...ends, actor_id: actor, by_bot: actor === BOT_ID, payload },
  ]
}
