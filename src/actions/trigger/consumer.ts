import { type EventOf, eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import { isZeroId } from '../../git/program/names.ts'
import { BOT_ID } from '../run/bot.ts'
import { awaitedOnly, deleteListening } from './listening-store.ts'
import { commitsOfPull, type PullEventName } from './pull-trigger.ts'
import { insertTriggers, type TriggerDraft } from './trigger-store.ts'

/** The kinds of events of the outbox that may start workflows. */
const startingKinds = [
  'ref.updated',
  'release.changed',
  'issue.changed',
  'pull.changed',
  'comment.changed',
  'workflow_run.changed',
] as const

/** An event of the outbox that may start workflows. */
export type StartingEvent = EventOf<(typeof startingKinds)[number]>

/** An event of the syntax of workflows. `payload` becomes `github.event`. */
interface WorkflowEvent {
  event:
    | 'push'
    | 'create'
    | 'delete'
    | 'release'
    | 'issues'
    | 'issue_comment'
    | 'pull_request_comment'
    | 'workflow_run'
    | PullEventName
  payload: object
}

/**
 * Queues events that may start workflows; `worker.ts` determines which workflows they start. `workflowEvents`: the events
 * of workflows that follow from an event of the outbox, in order.
 */
export function triggerConsumer(
  workflowEvents: (event: StartingEvent) => readonly WorkflowEvent[],
): Consumer {
  return async (sql, events, now) => {
    const updates = eventsOf(events, ['ref.updated'])
    await deleteListening(
      sql,
      updates.map(({ location, ref }) => ({ repository: location.repository, ref })),
    )
    const drafts = eventsOf(events, startingKinds).flatMap((event) =>
      workflowEvents(event).flatMap((each) => draftsOf(event, each)),
    )
    const triggers = await awaitedOnly(sql, drafts)
    if (triggers.length > 0) await insertTriggers(sql, triggers, now)
  }
}

function draftsOf(source: StartingEvent, { event, payload }: WorkflowEvent): TriggerDraft[] {
  const { location } = source
  const actor = 'actor' in source ? source.actor : source.sender.id
  const commits = commitsOf(source, event)
  if (!commits) return []
  return [
    {
      repository_id: location.repository,
      owner_id: location.owner,
      kind: event,
      ...commits,
      actor_id: actor,
      by_bot: actor === BOT_ID,
      payload,
    },
  ]
}

/** The ref and the commits of an event; undefined: it starts nothing. */
type EventCommits = Pick<TriggerDraft, 'ref' | 'before' | 'after'> | undefined

function commitsOf(source: StartingEvent, event: WorkflowEvent['event']): EventCommits {
  if (source.kind === 'release.changed') {
    const { release, commit } = source
    // A deleted release has no commit, and starts nothing in the original either.
    return commit === null ? undefined : { ref: `refs/tags/${release.tag_name}`, before: null, after: commit }
  }
  if (source.kind === 'pull.changed') return isPullEvent(event) ? commitsOfPull(source, event) : undefined
  // The evaluation takes the newest commit on the default branch.
  if (source.kind !== 'ref.updated') return { ref: '', before: null, after: null }
  const { ref, before, after } = source
  // Deleting a tag is also a push.
  if (event === 'push' && isZeroId(after)) return undefined
  return { ref, before: event === 'push' ? before : null, after: event === 'delete' ? null : after }
}

/** Of the events of workflows, those about pull requests themselves. */
const isPullEvent = (event: WorkflowEvent['event']): event is PullEventName =>
  event !== 'pull_request_comment' && event.startsWith('pull_request')
