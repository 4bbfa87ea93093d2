import type * as v from 'valibot'
import { eventDraft } from '../../background/domain-events.ts'
import { batchTransactions } from '../../db/batch.ts'
import type { EventDraft, Tx } from '../../db/sql.ts'
import { found, Problem } from '../../http/route/problem.ts'
import { happeningsOfSet } from '../issue-events/changes.ts'
import { type IssueHappening, recordHappenings } from '../issue-events/event-store.ts'
import { replaceLabels } from '../labels/label-store.ts'
import { resolveLabels } from '../labels/labelling.ts'
import { chosenMilestone } from '../milestones/named.ts'
import { mayWriteIssues } from '../repos/issue-access.ts'
import { type Repository, repositoryById } from '../repos/repo-store.ts'
import { issueActivityEvents } from '../watching/events.ts'
import { assigneesNamed } from './assignees.ts'
import { type IssueEvent, issueEvents, type TrackerContext } from './events.ts'
import type { CreateIssueOption } from './issue.option.ts'
import type { People } from './issue.shape.ts'
import { insertIssues, issuesByIds, replaceAssignees, type StoredIssue } from './issue-store.ts'
import { insertMentions } from './mention-store.ts'
import { mentionedIn } from './mentions.ts'
import { peopleIn } from './people.ts'

type CreationContext = TrackerContext & { body: v.InferOutput<typeof CreateIssueOption> }

/** An issue, and the accounts that it refers to. */
interface CreatedIssue {
  issue: StoredIssue
  people: People
}

/**
 * Opens an issue. Only callers who may write to issues can set assignees, labels, milestone and deadline; from others
 * these are ignored, as in Gitea.
 * @throws Problem 422 unknown assignees, labels or milestone, 503 too many texts are being rendered
 */
export async function createIssue(context: CreationContext): Promise<CreatedIssue> {
  const { body, caller, sql, begin } = context
  const names = mayWriteIssues(caller) ? [...(body.assignees ?? []), body.assignee] : []
  const assignees = await assigneesNamed(sql, caller, names)
  const mentioned = await mentionedIn(context, [body.title, body.body])
  const outcome = await createTogether(begin, { context, assignees, mentioned })
  if (outcome instanceof Problem) throw outcome
  return outcome
}

/** An issue that is to be opened. */
interface Creation {
  context: CreationContext
  assignees: readonly number[]
  /** Names in lower case. */
  mentioned: readonly string[]
}

/** A creation whose labels and milestone are known, by id. */
interface ResolvedCreation extends Creation {
  labels: readonly number[]
  milestone: number | null
}

/**
 * Opens an issue, together with those of the same repository that wait at the same time: the row of a repository counts
 * its issues, so only one transaction at a time can open some.
 */
const createTogether = batchTransactions(createAll, {
  // The event repeats the texts, and describes the repository and its owner.
  weigh: ({ context: { body } }) => 16 * 1024 + 2 * (body.title.length + body.body.length),
  queueOf: ({ context }) => context.caller.repo.id,
  concurrency: 1,
})

/** Opens issues of one repository, in their order. A creation that names unknown labels fails alone. */
async function createAll(tx: Tx, creations: readonly Creation[]): Promise<(CreatedIssue | Problem)[]> {
  const plans: (ResolvedCreation | Problem)[] = []
  // One after the other: when one throws, no statement of another may still run.
  for (const creation of creations) plans.push(await resolved(tx, creation))
  const created = await insertAll(tx, plans.filter(isResolved))
  const next = created.values()
  return plans.map((each) => (isResolved(each) ? found(next.next().value) : each))
}

const isResolved = (each: ResolvedCreation | Problem): each is ResolvedCreation => !(each instanceof Problem)

async function resolved(tx: Tx, creation: Creation): Promise<ResolvedCreation | Problem> {
  const { body, caller } = creation.context
  const { id: repository } = caller.repo
  if (!mayWriteIssues(caller)) return { ...creation, labels: [], milestone: null }
  try {
    const labels = await resolveLabels(tx, repository, body.labels)
    return { ...creation, labels, milestone: await chosenMilestone(tx, repository, body.milestone) }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

async function insertAll(tx: Tx, creations: readonly ResolvedCreation[]): Promise<CreatedIssue[]> {
  const [first] = creations
  if (!first) return []
  const { id: repository } = first.context.caller.repo
  const inserted = await insertIssues(tx, repository, creations.map(draftOf))
  const ids = inserted.map(({ id }) => id)
  for (const [at, creation] of creations.entries()) {
    const id = found(ids[at])
    const { context, assignees, labels } = creation
    if (assignees.length > 0) await replaceAssignees(tx, id, assignees)
    if (labels.length > 0) await replaceLabels(tx, { id, repository_id: repository }, labels)
    await recordHappenings(tx, { issue: id, actor: context.caller.me.id }, happeningsOf(creation))
  }
  const referring = creations.map(({ context, assignees }) => ({
    poster_id: context.caller.me.id,
    assignees,
  }))
  const [issues, row, people] = await Promise.all([
    issuesByIds(tx, ids),
    repositoryById(tx, repository),
    peopleIn(tx, referring),
  ])
  const stored = creations.map((_, at) => found(issues[at]))
  await emitAll(tx, creations, { row: found(row), issues: stored, people })
  return stored.map((issue) => ({ issue, people }))
}

function draftOf({ context: { body, caller }, milestone }: ResolvedCreation) {
  const { title, body: text, ref, closed } = body
  const due_at = mayWriteIssues(caller) ? (body.due_date ?? null) : null
  return {
    poster_id: caller.me.id,
    title,
    body: text,
    ref,
    closed,
    milestone_id: milestone,
    due_at,
    is_pull: false,
  }
}

/** Stores the mentions and emits the events of new issues. */
async function emitAll(
  tx: Tx,
  creations: readonly ResolvedCreation[],
  { row, issues, people }: { row: Repository; issues: readonly StoredIssue[]; people: People },
): Promise<void> {
  const events: EventDraft[] = []
  // Each event counts the open issues as they were when its issue was the newest.
  let later = issues.filter(({ closed_at }) => closed_at === null).length
  for (const [at, creation] of creations.entries()) {
    const issue = found(issues[at])
    if (issue.closed_at === null) later--
    const then = { ...row, open_issues: row.open_issues - later }
    const { context, assignees, mentioned } = creation
    const actor = context.caller.me.id
    await insertMentions(tx, { issue: issue.id, actor, names: mentioned })
    const activity = { issue: issue.id, actor, audience: true, names: mentioned, accounts: assignees }
    const drafts = [
      ...issueEvents(context, { row: then, issue, people }, eventsOfOpening(creation)),
      ...issueActivityEvents(activity),
    ].map((event) => ({ ...eventDraft(event), requestId: context.from.id }))
    events.push(...drafts)
  }
  await tx.emitAll(events)
}

/** The entries of a new issue in its timeline. */
function happeningsOf({ context, assignees, labels, milestone }: ResolvedCreation): IssueHappening[] {
  return [
    ...happeningsOfSet('label', [], labels),
    ...(milestone === null ? [] : [{ type: 'milestone', subject: milestone } as const]),
    ...happeningsOfSet('assignees', [], assignees),
    ...(context.body.closed ? [{ type: 'close' } as const] : []),
  ]
}

/** The events of a new issue. */
function eventsOfOpening({ context, assignees, labels, milestone }: ResolvedCreation): IssueEvent[] {
  return [
    { action: 'opened' },
    ...(labels.length === 0 ? [] : [{ action: 'label_updated' } as const]),
    ...(milestone === null ? [] : [{ action: 'milestoned' } as const]),
    ...assignees.map(() => ({ action: 'assigned' }) as const),
    ...(context.body.closed ? [{ action: 'closed' } as const] : []),
  ]
}
