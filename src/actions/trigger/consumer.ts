import { type EventOf, eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import { isZeroId } from '../../git/program/names.ts'
import { BOT_ID } from '../run/bot.ts'
import { earlierTriggers } from './earlier-events.ts'
import { forgetListening } from './listening-store.ts'
import { insertTriggers, type TriggerDraft } from './trigger-store.ts'

/** An event of the outbox that workflows may wait for. */
export type StartingEvent = EventOf<'ref.updated' | 'release.changed' | 'issue.changed' | 'comment.changed'>

/** An event of the syntax of workflows that follows from one of the outbox. `payload` becomes `github.event`. */
interface WorkflowEvent {
  event: 'push' | 'create' | 'delete' | 'release' | 'issues' | 'issue_comment'
  payload: object
}

/**
 * Queues events that may start workflows; `worker.ts` finds out which workflows they start. `workflowEvents`: what an
 * event is for workflows, in order.
 */
export function triggerConsumer(
  workflowEvents: (event: StartingEvent) => readonly WorkflowEvent[],
): Consumer {
  return async (sql, events, now) => {
    const moved = eventsOf(events, ['ref.updated'])
    await forgetListening(
      sql,
      moved.map(({ location }) => location.repository),
    )
    const triggers = events.flatMap((stored) => [
      ...earlierTriggers(stored),
      ...eventsOf([stored], ['ref.updated', 'release.changed', 'issue.changed', 'comment.changed']).flatMap(
        (event) => workflowEvents(event).flatMap((each) => draftsOf(event, each)),
      ),
    ])
    if (triggers.length > 0) await insertTriggers(sql, triggers, now)
  }
}

function draftsOf(caused: StartingEvent, { event, payload }: WorkflowEvent): TriggerDraft[] {
  const { location } = caused
  const actor = 'actor' in caused ? caused.actor : caused.sender.id
  const place = placeOf(caused, event)
  if (!place) return []
  return [
    {
      repository_id: location.repository,
      owner_id: location.owner,
      kind: event,
      ...place,
      actor_id: actor,
      by_bot: actor === BOT_ID,
      payload,
    },
  ]
}

/** Undefined: it starts nothing. */
type Place = Pick<TriggerDraft, 'ref' | 'before' | 'after'> | undefined

function placeOf(caused: StartingEvent, event: WorkflowEvent['event']): Place {
  if (caused.kind === 'ref.updated') return placeOfRef(caused, event)
  // The evaluation takes the newest commit on the default branch.
  return caused.kind === 'release.changed' ? placeOfRelease(caused) : { ref: '', before: null, after: null }
}

function placeOfRef({ ref, before, after }: EventOf<'ref.updated'>, event: WorkflowEvent['event']): Place {
  // Deleting a tag is also a push.
  if (event === 'push' && isZeroId(after)) return undefined
  return { ref, before: event === 'push' ? before : null, after: event === 'delete' ? null : after }
}

/** A deleted release has no commit, and starts nothing in the original either. */
function placeOfRelease({ release, commit }: EventOf<'release.changed'>): Place {
  return commit === null ? undefined : { ref: `refs/tags/${release.tag_name}`, before: null, after: commit }
}
