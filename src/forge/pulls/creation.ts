import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { inTransaction } from '../../git/program/in-transaction.ts'
import { copyCommits } from '../../git/repository/merging/copy-commits.ts'
import { setPullRef } from '../../git/repository/merging/pull-refs.ts'
import { conflict, forbidden, found, unprocessable } from '../../http/route/problem.ts'
import { happeningsOfSet } from '../issue-events/changes.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { assigneesNamed } from '../issues/assignees.ts'
import { insertIssues, replaceAssignees } from '../issues/issue-store.ts'
import { insertMentions } from '../issues/mention-store.ts'
import { mentionedIn } from '../issues/mentions.ts'
import { replaceLabels } from '../labels/label-store.ts'
import { resolveLabels } from '../labels/labelling.ts'
import { chosenMilestone } from '../milestones/named.ts'
import { membershipOf } from '../orgs/membership-store.ts'
import { isDraft } from '../protocol/draft-title.ts'
import { gitValue } from '../repos/code.ts'
import { sharesRepository } from '../repos/collaborator-store.ts'
import { mayWriteIssues } from '../repos/issue-access.ts'
import { lockRepository } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import { emitIssueActivity } from '../watching/events.ts'
import type { PullCaller } from './access.ts'
import { compared, totalsOf } from './comparison.ts'
import { mayWriteCode } from './head-store.ts'
import { type Sides, sidesNamed } from './heads.ts'
import type { CreatePullRequestOption } from './pull.option.ts'
import { emitPullEvents, type PullChange } from './pull-events.ts'
import { insertPull, pullById, pullOfPair, type StoredPull } from './pull-store.ts'
import { openedIn } from './pull-view.ts'
import { followHead } from './pushed.ts'
import type { Reviewer } from './reviews/asking.ts'
import { askOwners, codeOwners } from './reviews/code-owners.ts'
import { askAll, reviewersNamed } from './reviews/requests.ts'

type CreationContext = ForgeContext<PullCaller, { body: v.InferOutput<typeof CreatePullRequestOption> }>

/** A pull request that is to be opened; what the caller may not set is left out. */
interface Plan extends Sides {
  mergeBase: string
  assignees: number[]
  /** Names in lower case. */
  mentioned: readonly string[]
  /** Who is asked for a review, because the caller names them. */
  reviewers: readonly Reviewer[]
  /** Because files of theirs change. */
  owners: readonly Reviewer[]
}

/**
 * Opens a pull request. Only callers who may write to pull requests can set assignees, labels, milestone and deadline;
 * from others these are ignored, as for issues.
 * @throws Problem 403 neither branch is the caller's, 404 no such branch, 409 an open one has the same branches, 422, 503
 */
export async function createPull(context: CreationContext): Promise<StoredPull> {
  const { body, caller, sql, begin } = context
  const sides = await sidesNamed(context, body)
  const { base, head } = sides
  if (base.row.id === head.row.id && base.branch === head.branch)
    throw unprocessable('Invalid PullRequest: There are no changes between the head and the base')
  await requireProposer(context, sides)
  if (head.row.id !== base.row.id)
    gitValue(
      await copyCommits(head.repository, base.repository, { commit: head.commit, known: [base.commit] }),
    )
  // Its event says whether it can be merged, and is emitted in a transaction, which does not wait for git.
  const at = openedIn(context, base.row)
  const names = mayWriteIssues(caller) ? [...(body.assignees ?? []), body.assignee] : []
  const [[comparison], reviewers, assignees, mentioned] = await Promise.all([
    compared(at, [{ base: base.commit, head: head.commit }]),
    reviewersNamed(context, body),
    assigneesNamed(sql, caller, names),
    mentionedIn(context, [body.title, body.body]),
  ])
  const mergeBase = requireCommonHistory(comparison?.mergeBase)
  // Its answer asks for them again; git counts while the database stores the request.
  void totalsOf(at, { base: mergeBase, head: head.commit })
  const owners = isDraft(body) ? [] : await codeOwners(sql, base, { base: mergeBase, head: head.commit })
  const plan = { ...sides, mergeBase, reviewers, owners, assignees, mentioned }
  const id = await begin((tx) => insertAll(tx, context, plan))
  return found(await followHead(context, id))
}

/**
 * Passes if the caller may write to the head branch, works on the base repository, or belongs to the organization that owns
 * it. @throws Problem 403
 */
async function requireProposer({ sql, caller }: CreationContext, { base, head }: Sides): Promise<void> {
  if (mayWriteIssues(caller)) return
  const { id: account } = caller.me
  if (await mayWriteCode(sql, { repository: head.row.id, account })) return
  if (await sharesRepository(sql, base.row.id, account)) return
  if (await membershipOf(sql, base.row.owner_id, account)) return
  throw forbidden('user must be a collaborator')
}

/** @throws Problem 422 */
export function requireCommonHistory(mergeBase: string | undefined): string {
  if (mergeBase !== undefined) return mergeBase
  throw unprocessable('Invalid PullRequest: the head and the base have no common history')
}

/** Returns its id. */
async function insertAll(tx: Tx, context: CreationContext, plan: Plan): Promise<number> {
  const { caller } = context
  const { base, head } = plan
  // Requests for the same branches are opened one after another.
  found(await lockRepository(tx, base.row.id))
  await requireNoOther(tx, plan)
  const { id, number, happenings, events } = await insertIssue(tx, context, plan)
  await insertPull(tx, {
    issue: id,
    repository: base.row.id,
    head_repository: head.row.id,
    head_branch: head.branch,
    base_branch: base.branch,
    head_commit: head.commit,
    merge_base: plan.mergeBase,
    allow_maintainer_edit: context.body.allow_maintainer_edit ?? allowsByDefault(plan),
  })
  // Before the commit: a request that somebody sees has its ref. Without the commit, the next one of this number sets it.
  gitValue(await setPullRef(inTransaction(base.repository), number, head.commit))
  const actor = caller.me.id
  await recordHappenings(tx, { issue: id, actor }, happenings)
  await insertMentions(tx, { issue: id, actor, names: plan.mentioned })
  await emitIssueActivity(tx, {
    issue: id,
    actor,
    audience: true,
    names: plan.mentioned,
    accounts: plan.assignees,
  })
  // As in the original, before the event: `opened` names all who are asked.
  if (plan.reviewers.length > 0) await askAll(tx, context, found(await pullById(tx, id)), plan.reviewers)
  await askOwners(tx, context, id, plan.owners)
  await emitPullEvents(tx, context, id, events)
  return id
}

const allowsByDefault = ({ base }: Plan) => base.row.settings.default_allow_maintainer_edit !== false

async function insertIssue(tx: Tx, { body, caller }: CreationContext, plan: Plan) {
  const repository = plan.base.row.id
  const isWriter = mayWriteIssues(caller)
  const labels = isWriter ? await resolveLabels(tx, repository, body.labels) : []
  const milestone = isWriter ? await chosenMilestone(tx, repository, body.milestone) : null
  const due_at = isWriter ? (body.due_date ?? null) : null
  const draft = { poster_id: caller.me.id, title: body.title, body: body.body, ref: '', closed: false }
  const [inserted] = await insertIssues(tx, repository, [
    { ...draft, milestone_id: milestone, due_at, is_pull: true },
  ])
  const { id, number } = found(inserted)
  if (plan.assignees.length > 0) await replaceAssignees(tx, id, plan.assignees)
  if (labels.length > 0) await replaceLabels(tx, { id, repository_id: repository }, labels)
  const events: PullChange[] = [
    { action: 'opened' },
    ...(labels.length === 0 ? [] : [{ action: 'label_updated' } as const]),
    ...(milestone === null ? [] : [{ action: 'milestoned' } as const]),
    ...plan.assignees.map(() => ({ action: 'assigned' }) as const),
  ]
  const happenings = [
    ...happeningsOfSet('label', [], labels),
    ...(milestone === null ? [] : [{ type: 'milestone', subject: milestone } as const]),
    ...happeningsOfSet('assignees', [], plan.assignees),
  ]
  return { id, number, happenings, events }
}

/** The repository of the base is locked. @throws Problem 409 */
async function requireNoOther(tx: Tx, { base, head }: Sides): Promise<void> {
  const pair = {
    repository: base.row.id,
    base_branch: base.branch,
    head_repository: head.row.id,
    head_branch: head.branch,
  }
  const other = await pullOfPair(tx, pair)
  if (other?.closed_at === null) throw openAlready(other, pair)
}

export const openAlready = (
  { id, number }: Pick<StoredPull, 'id' | 'number'>,
  pair: { repository: number; base_branch: string; head_repository: number; head_branch: string },
) =>
  conflict(
    `pull request already exists for these targets [id: ${id}, issue_id: ${number}, head_repo_id: ${pair.head_repository}, base_repo_id: ${pair.repository}, head_branch: ${pair.head_branch}, base_branch: ${pair.base_branch}]`,
  )
