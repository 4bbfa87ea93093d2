import { compileGlob } from '../../../glob.ts'

/** Every event a hook can hear of by itself: the fine names. */
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

/** What a hook hears of. `everything` also holds events that are yet to be invented; then `events` is empty. */
export interface Subscription {
  readonly everything: boolean
  readonly events: readonly EventName[]
}

/** Names that stand for several events, or for a narrower one than their own. */
const groups: Readonly<Record<string, readonly EventName[]>> = {
  issues: ['issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment'],
  issues_only: ['issues'],
  pull_request: eventNames.filter((name) => name.startsWith('pull_request')),
  pull_request_only: ['pull_request'],
}

/**
 * The stored set of the names that a caller sends, in our own order. Case does not matter, and unknown names are
 * dropped: a hook may end up hearing of nothing. Absent or empty means pushes.
 */
export function normalizeEvents(names: readonly string[] | undefined): EventName[] {
  const wanted = new Set<string>()
  for (const given of names === undefined || names.length === 0 ? ['push'] : names) {
    const name = given.toLowerCase()
    for (const each of Object.hasOwn(groups, name) ? (groups[name] ?? []) : [name]) wanted.add(each)
  }
  return eventNames.filter((name) => wanted.has(name))
}

/** The names that a reply lists. */
export function listedEvents({ everything, events }: Subscription): readonly EventName[] {
  return everything ? eventNames : events
}

/** Fine names of reviews, which are events of their own and heard by who hears of `pull_request_review`. */
const reviews = {
  pull_request_review_approved: 'pull_request_approved',
  pull_request_review_rejected: 'pull_request_rejected',
  pull_request_review_comment: 'pull_request_comment',
} as const

/** What can happen: the names that can be heard of, and the three ways of a review. */
export type HookEvent = EventName | keyof typeof reviews

const isReview = (event: HookEvent): event is keyof typeof reviews => Object.hasOwn(reviews, event)

/** The name under which an event is subscribed to. */
export const subscribedName = (event: HookEvent): EventName =>
  isReview(event) ? 'pull_request_review' : event

/** The name that `X-Gitea-Event` carries: what older receivers know. */
export function coarseName(event: HookEvent): string {
  if (isReview(event)) return reviews[event]
  if (event === 'issue_comment' || event === 'pull_request_comment') return 'issue_comment'
  if (event.startsWith('issue_')) return 'issues'
  // A review that is neither approval, rejection nor comment does not happen; its bare name stays itself.
  return event.startsWith('pull_request') && event !== 'pull_request_review' ? 'pull_request' : event
}

/** Events that a branch filter concerns. */
const filtered: readonly HookEvent[] = ['create', 'delete', 'push']

/** Whether a branch filter can be understood: a glob, or nothing. */
export const isBranchFilter = (filter: string) => compileGlob(filter) !== undefined

/**
 * Whether a filter lets an event of this ref through: the glob is held against the short name of a branch, against the
 * whole ref of anything else. `*` crosses slashes. A filter that is no glob lets nothing through.
 */
export function passesBranchFilter(filter: string, event: HookEvent, ref: string | undefined): boolean {
  if (filter === '' || filter === '*' || filter === '**') return true
  if (!filtered.includes(event) || ref === undefined) return true
  const name = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref
  return compileGlob(filter)?.(name) ?? false
}
