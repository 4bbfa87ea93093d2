import { type EventOf, eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import { isZeroId } from '../../git/program/names.ts'
import { BOT_ID } from '../run/bot.ts'
import { earlierTriggers } from './earlier-events.ts'
import { insertTriggers, type TriggerDraft } from './trigger-store.ts'

type RefUpdated = EventOf<'ref.updated'>

/** An event of the syntax of workflows that follows from `ref.updated`. `payload` becomes `github.event`. */
interface WorkflowEvent {
  event: 'push' | 'create' | 'delete'
  payload: object
}

/**
 * Queues updates of refs that may start workflows; `worker.ts` finds out which workflows they start. `eventsOfRef`:
 * what an update is for workflows, in order.
 */
export function triggerConsumer(eventsOfRef: (update: RefUpdated) => readonly WorkflowEvent[]): Consumer {
  return async (sql, events, now) => {
    const triggers = events.flatMap((stored) => [
      ...earlierTriggers(stored),
      ...eventsOf([stored], ['ref.updated']).flatMap((update) =>
        eventsOfRef(update).flatMap((each) => draftsOf(update, each)),
      ),
    ])
    if (triggers.length > 0) await insertTriggers(sql, triggers, now)
  }
}

function draftsOf(
  { location, ref, before, after, actor }: RefUpdated,
  { event, payload }: WorkflowEvent,
): TriggerDraft[] {
  // Deleting a tag is also a push.
  if (event === 'push' && isZeroId(after)) return []
  return [
    {
      repository_id: location.repository,
      owner_id: location.owner,
      kind: event,
      ref,
      before: event === 'push' ? before : null,
      after: event === 'delete' ? null : after,
      actor_id: actor,
      by_bot: actor === BOT_ID,
      payload,
    },
  ]
}
