import { compileGlob } from '../../../common/glob.ts'
import { done, failed, type Outcome } from '../../../common/outcome.ts'

/** Every event that a hook can subscribe to: the fine names. */
export const eventNames = [
  'create',
  'delete',
  'fork',
  'push',
  'issues',
  'issue_assign',
  'issue_label',
  'issue_milestone',
  'issue_comment',
  'pull_request',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_comment',
  'pull_request_review',
  'pull_request_review_request',
  'pull_request_sync',
  'wiki',
  'repository',
  'release',
  'package',
  'status',
  'workflow_run',
  'workflow_job',
] as const
export type EventName = (typeof eventNames)[number]

/** Names that stand for several events, or for fewer than the name suggests. */
const groups: Readonly<Record<string, readonly EventName[]>> = {
  issues: ['issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment'],
  issues_only: ['issues'],
  pull_request: eventNames.filter((name) => name.startsWith('pull_request')),
  pull_request_only: ['pull_request'],
}

/** Fine names of reviews: events of their own, sent to hooks that are subscribed to `pull_request_review`. */
const reviews = {
  pull_request_review_approved: 'pull_request_approved',
  pull_request_review_rejected: 'pull_request_rejected',
  pull_request_review_comment: 'pull_request_comment',
} as const

/** Every name that clients may subscribe to; the fine names of reviews, which deliveries show, mean all reviews. */
export const requestableEvents: readonly string[] = [
  ...new Set([...eventNames, ...Object.keys(groups), ...Object.keys(reviews)]),
]

/**
 * Converts the event names that a client sends to the stored list, in our own order. Names are case-insensitive. Absent
 * or empty input means `push`. Fails with the first name that is none.
 */
export function normalizeEvents(names: readonly string[] | undefined): Outcome<EventName[], string> {
  const selected = new Set<string>()
  for (const requested of names === undefined || names.length === 0 ? ['push'] : names) {
    const name = requested.toLowerCase()
    if (!requestableEvents.includes(name)) return failed(requested)
    for (const each of meaningOf(name)) selected.add(each)
  }
  return done(eventNames.filter((name) => selected.has(name)))
}

function meaningOf(name: string): readonly string[] {
  if (Object.hasOwn(reviews, name)) return ['pull_request_review']
  return Object.hasOwn(groups, name) ? (groups[name] ?? []) : [name]
}

/** The event names that a reply lists. */
export function listedEvents(hook: {
  all_events: boolean
  events: readonly EventName[]
}): readonly EventName[] {
  return hook.all_events ? eventNames : hook.events
}

/** Every event that can happen: the names that can be subscribed to, and the three kinds of reviews. */
export type HookEvent = EventName | keyof typeof reviews

const isReview = (event: HookEvent): event is keyof typeof reviews => Object.hasOwn(reviews, event)

/** The name under which hooks subscribe to an event. */
export const subscribedName = (event: HookEvent): EventName =>
  isReview(event) ? 'pull_request_review' : event

/** The value of `X-Gitea-Event`: the name that older receivers know. */
export function coarseName(event: HookEvent): string {
  if (isReview(event)) return reviews[event]
  if (event === 'issue_comment' || event === 'pull_request_comment') return 'issue_comment'
  if (event.startsWith('issue_')) return 'issues'
  // `pull_request_review` never happens without a kind, so that name has no coarse form.
  return event.startsWith('pull_request') && event !== 'pull_request_review' ? 'pull_request' : event
}

/** The events to which branch filters apply. */
const filtered: readonly HookEvent[] = ['create', 'delete', 'push']

/** Whether a branch filter is valid: a glob, or empty. */
export const isBranchFilter = (filter: string) => compileGlob(filter) !== undefined

/**
 * Whether a branch filter accepts an event of this ref: the glob matches the full name of the ref, or the short name of a
 * branch. `*` matches slashes. An invalid glob accepts nothing.
 */
export function passesBranchFilter(filter: string, event: HookEvent, ref: string | undefined): boolean {
  if (filter === '' || filter === '*' || filter === '**') return true
  if (!filtered.includes(event) || ref === undefined) return true
  const matches = compileGlob(filter)
  if (!matches) return false
  return (ref.startsWith('refs/heads/') && matches(ref.slice('refs/heads/'.length))) || matches(ref)
}
