import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { chosenMilestone } from '../milestones/named.ts'
import { emitIssueActivity } from '../notifications/events.ts'
import { mayWriteIssues, requireAuthorOrWriter } from './access.ts'
import { assigneesNamed } from './assignees.ts'
import { emitIssueEvents, type IssueEvent, type TrackerContext } from './events.ts'
import type { EditIssueOption } from './issue.option.ts'
import { issueByNumber, lockIssue, replaceAssignees, type StoredIssue, updateIssue } from './issue-store.ts'

type Input = v.InferOutput<typeof EditIssueOption>

/**
 * Changes an issue; members that are absent keep their value. Assignees and milestone are ignored unless the caller
 * may write to issues.
 * @throws Problem 403, 404, 422
 */
export async function editIssue(
  context: TrackerContext & { body: Input },
  number: number,
): Promise<StoredIssue> {
  const { body, caller, sql, begin } = context
  const { repo } = caller
  const names = assigneeNamesIn(body)
  const assignees = names && mayWriteIssues(caller) ? await assigneesNamed(sql, caller, names) : undefined
  return begin(async (tx) => {
    const old = found(await lockIssue(tx, repo.id, number))
    requireAuthorOrWriter(caller, old.poster_id)
    const milestone =
      body.milestone !== undefined && mayWriteIssues(caller)
        ? await chosenMilestone(tx, repo.id, body.milestone)
        : (old.milestone?.id ?? null)
    const events = await applyEdit(tx, old, { ...body, milestone })
    const added = assignees?.filter((id) => !old.assignees.includes(id)) ?? []
    const removed = assignees ? old.assignees.filter((id) => !assignees.includes(id)) : []
    if (assignees && added.length + removed.length > 0) {
      await replaceAssignees(tx, old.id, assignees)
      events.push(...added.map(() => ({ action: 'assigned' as const })))
      events.push(...removed.map(() => ({ action: 'unassigned' as const })))
    }
    const issue = found(await issueByNumber(tx, repo.id, number))
    await emitIssueEvents(tx, context, issue, events)
    const audience = events.some(({ action }) => action === 'closed' || action === 'reopened')
    await emitIssueActivity(tx, { issue: old.id, actor: caller.me.id, audience, names: [], accounts: added })
    return issue
  })
}

/** The assignees that an edit names, undefined if it does not mention assignees; an empty `assignee` means none. */
function assigneeNamesIn({ assignee, assignees }: Input): string[] | undefined {
  if (assignee === undefined && assignees === undefined) return undefined
  return [...(assignees ?? []), assignee ?? '']
}

/**
 * Writes title, body, ref, milestone (by id) and state of a locked issue and returns the webhook events; equal values
 * are no change.
 */
async function applyEdit(
  tx: Tx,
  old: StoredIssue,
  { title, body, ref, state, milestone }: Omit<Input, 'milestone'> & { milestone: number | null },
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
  if (closes || opens) events.push({ action: closes ? 'closed' : 'reopened' })
  if (milestone !== (old.milestone?.id ?? null))
    events.push({ action: milestone === null ? 'demilestoned' : 'milestoned' })
  if (events.length === 0 && next.ref === old.ref) return events
  const closed_at = closes ? tx.now : opens ? null : old.closed_at
  await updateIssue(tx, old.id, { ...next, milestone_id: milestone, closed_at })
  return events
}
