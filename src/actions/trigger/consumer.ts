import * as v from 'valibot'
import type { Consumer } from '../../background/outbox.ts'
import { isZeroId } from '../../git/program/names.ts'
import { BOT_ID } from '../run/bot.ts'
import { insertTriggers, type TriggerDraft } from './trigger-store.ts'

/** The parts of a stored repository event that workflows need (see forge/webhooks/payload/payload.ts). */
const StoredEvent = v.object({
  repository: v.number(),
  ref: v.string(),
  payload: v.looseObject({
    before: v.optional(v.string()),
    after: v.optional(v.string()),
    sha: v.optional(v.string()),
    sender: v.object({ id: v.number() }),
  }),
})

const triggerKinds: readonly string[] = ['push', 'create', 'delete']

/** Queues events that may start workflows; `worker.ts` finds out which workflows they start. */
export const triggerConsumer: Consumer = async (sql, events, now) => {
  const triggers = events.flatMap(({ kind, payload }) =>
    triggerKinds.includes(kind) ? draftsOf(kind, payload) : [],
  )
  if (triggers.length > 0) await insertTriggers(sql, triggers, now)
}

function draftsOf(kind: string, event: unknown): TriggerDraft[] {
  const { repository, ref, payload } = v.parse(StoredEvent, event)
  const after = payload.after ?? payload.sha ?? null
  // Deleting a tag also emits a push event.
  if (kind === 'push' && (after === null || isZeroId(after))) return []
  const by_bot = payload.sender.id === BOT_ID
  const before = payload.before ?? null
  return [
    { repository_id: repository, kind, ref, before, after, actor_id: payload.sender.id, by_bot, payload },
  ]
}
