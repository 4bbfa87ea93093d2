import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { conflict, found, Problem } from '../../http/route/problem.ts'
import { happeningsOfEdit, happeningsOfSet } from '../issue-events/changes.ts'
import { type IssueHappening, recordHappenings } from '../issue-events/event-store.ts'
import { chosenMilestone } from '../milestones/named.ts'
import { mayWriteIssues, requireAuthorOrWriter } from '../repos/issue-access.ts'
import { emitIssueActivity } from '../watching/events.ts'
import { assigneesNamed } from './assignees.ts'
import { hasOpenDependency } from './dependency-store.ts'
import { emitIssueEvents, type IssueEvent, type TrackerContext } from './events.ts'
import type { EditIssueOption } from './issue.option.ts'
import { issueByNumber, lockIssue, replaceAssignees, type StoredIssue, updateIssue } from './issue-store.ts'

type Input = v.InferOutput<typeof EditIssueOption>

/**
 * Changes an issue; members that are absent keep their value. Assignees, milestone and deadline are ignored unless the
 * caller may write to issues. `more` changes what only some issues have, while the issue is locked.
 * @throws those of `more`; Problem 403, 404, 409 its text has changed, 412 it waits for others that are open, 422
 */
export async function editIssue(
  context: TrackerContext & { body: Input },
  number: number,
  more: (tx: Tx, old: StoredIssue) => Promise<IssueEvent[]> = async () => [],
): Promise<StoredIssue> {
  const { body, caller, sql, begin } = context
  const { repo } = caller
  const names = assigneeNamesIn(body)
  const assignees = names && mayWriteIssues(caller) ? await assigneesNamed(sql, caller, names) : undefined
  return begin(async (tx) => {
    const old = found(await lockIssue(tx, repo.id, number))
    requireAuthorOrWriter(caller, old.poster_id)
    if ((body.content_version ?? old.content_version) !== old.content_version)
      throw conflict('the issue is already changed')
    const plan = mayWriteIssues(caller) ? await plannedIn(tx, old, body) : planOf(old)
    const others = await more(tx, old)
    const events = await applyEdit(tx, old, body, plan)
    const assigned = await assign(tx, old, assignees ?? old.assignees)
    return publishEdit(tx, context, old, [...others, ...events, ...assigned])
  })
}

/**
 * Gives an issue the assignees that `next` returns for it, and emits the events that `editIssue` emits.
 * @throws Problem 404, and those of `next`
 */
export const assignIssue = (
  context: TrackerContext,
  number: number,
  next: (tx: Tx, old: StoredIssue) => Promise<number[]>,
): Promise<StoredIssue> =>
  context.begin(async (tx) => {
    const old = found(await lockIssue(tx, context.caller.repo.id, number))
    return publishEdit(tx, context, old, await assign(tx, old, await next(tx, old)))
  })

/** Replaces the assignees of a locked issue and returns the webhook events; the same ones are no change. */
async function assign(tx: Tx, old: StoredIssue, assignees: readonly number[]): Promise<IssueEvent[]> {
  const added = addedIn(old, { assignees })
  const removed = addedIn({ assignees }, old)
  if (added.length + removed.length > 0) await replaceAssignees(tx, old.id, assignees)
  return [
    ...added.map(() => ({ action: 'assigned' as const })),
    ...removed.map(() => ({ action: 'unassigned' as const })),
  ]
}

type Assigned = { assignees: readonly number[] }

const addedIn = (before: Assigned, after: Assigned) =>
  after.assignees.filter((id) => !before.assignees.includes(id))

/** Records and emits what an edit of a locked issue has changed; returns the issue in its new state. */
async function publishEdit(
  tx: Tx,
  context: TrackerContext,
  old: StoredIssue,
  events: readonly IssueEvent[],
): Promise<StoredIssue> {
  const { me, repo } = context.caller
  const issue = found(await issueByNumber(tx, repo.id, old.number))
  await recordHappenings(tx, { issue: old.id, actor: me.id }, happeningsBetween(old, issue))
  await emitIssueEvents(tx, context, issue, events)
  const audience = events.some(({ action }) => action === 'closed' || action === 'reopened')
  await emitIssueActivity(tx, {
    issue: old.id,
    actor: me.id,
    audience,
    names: [],
    accounts: addedIn(old, issue),
  })
  return issue
}

/** What an edit of an issue changed, for the timeline. */
const happeningsBetween = (old: StoredIssue, issue: StoredIssue): IssueHappening[] => [
  ...happeningsOfEdit(editableOf(old), editableOf(issue)),
  ...happeningsOfSet('assignees', old.assignees, issue.assignees),
]

const editableOf = ({ title, ref, closed_at, milestone, due_at }: StoredIssue) => ({
  title,
  ref,
  is_open: closed_at === null,
  milestone: milestone?.id ?? null,
  due_at,
})

/** The assignees that an edit names, undefined if it does not mention assignees; an empty `assignee` means none. */
function assigneeNamesIn({ assignee, assignees }: Input): string[] | undefined {
  if (assignee === undefined && assignees === undefined) return undefined
  return [...(assignees ?? []), assignee ?? '']
}

/** Milestone and deadline of an issue, which only those who may write to the issues set. */
interface Plan {
  milestone_id: number | null
  due_at: string | Date | null
}

const planOf = ({ milestone, due_at }: StoredIssue): Plan => ({ milestone_id: milestone?.id ?? null, due_at })

const instantOf = (time: Plan['due_at']) => (time === null ? undefined : new Date(time).getTime())

/** The plan that an edit makes; absent members keep their value. @throws Problem 422 */
async function plannedIn(
  tx: Tx,
  old: StoredIssue,
  { milestone, due_date, unset_due_date }: Input,
): Promise<Plan> {
  const before = planOf(old)
  const due_at = unset_due_date ? null : due_date === undefined ? before.due_at : due_date
  if (milestone === undefined) return { ...before, due_at }
  return { milestone_id: await chosenMilestone(tx, old.repository_id, milestone), due_at }
}

/** Writes title, body, ref, plan and state of a locked issue and returns the webhook events; equal values are no change. */
async function applyEdit(
  tx: Tx,
  old: StoredIssue,
  { title, body, ref, state }: Input,
  plan: Plan,
): Promise<IssueEvent[]> {
  const events: IssueEvent[] = []
  const next = { title: title || old.title, body: body ?? old.body, ref: ref ?? old.ref }
  const changes = {
    ...(next.title !== old.title && { title: { from: old.title } }),
    ...(next.body !== old.body && { body: { from: old.body } }),
  }
  if (Object.keys(changes).length > 0) events.push({ action: 'edited', changes })
  const closes = state === 'closed' && old.closed_at === null
  const opens = state === 'open' && old.closed_at !== null
  if ((closes || opens) && old.pull?.merged_at)
    throw new Problem(412, 'cannot change state of this pull request, it was already merged')
  if (closes && (await hasOpenDependency(tx, old.id)))
    throw new Problem(412, 'the issue waits for others that are open')
  if (closes || opens) events.push({ action: closes ? 'closed' : 'reopened' })
  const before = planOf(old)
  if (plan.milestone_id !== before.milestone_id)
    events.push({ action: plan.milestone_id === null ? 'demilestoned' : 'milestoned' })
  if (events.length === 0 && next.ref === old.ref && instantOf(plan.due_at) === instantOf(before.due_at))
    return events
  const closed_at = closes ? tx.now : opens ? null : old.closed_at
  await updateIssue(tx, old.id, { ...next, ...plan, closed_at })
  return events
}
