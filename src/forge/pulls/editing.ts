import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { conflict, forbidden, found, unprocessable } from '../../http/route/problem.ts'
import { happeningsOfSet } from '../issue-events/changes.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { editIssue } from '../issues/editing.ts'
import type { IssueEvent } from '../issues/events.ts'
import type { StoredIssue } from '../issues/issue-store.ts'
import { replaceLabels } from '../labels/label-store.ts'
import { resolveLabels } from '../labels/labelling.ts'
import { isDraft } from '../protocol/draft-title.ts'
import { openToWrite } from '../repos/code.ts'
import { mayWriteIssues } from '../repos/issue-access.ts'
import { lockRepository } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import type { PullCaller } from './access.ts'
import { changeBase, type NewBase, newBaseOf } from './base-branch.ts'
import { openAlready, requireCommonHistory } from './creation.ts'
import { mayWriteCode } from './head-store.ts'
import { baseNamed } from './heads.ts'
import { cancelAutoMerge, cancelAutoMergeByStranger } from './merging/auto-merge.ts'
import { isBeingMerged } from './merging/merge-store.ts'
import type { EditPullRequestOption } from './pull.option.ts'
import { pullById, pullByNumber, pullOfPair, type StoredPull, updatePull } from './pull-store.ts'
import { followHead } from './pushed.ts'
import type { Reviewer } from './reviews/asking.ts'
import { askOwners, codeOwners } from './reviews/code-owners.ts'

type Input = v.InferOutput<typeof EditPullRequestOption>
type EditContext = ForgeContext<PullCaller, { body: Input }>

/**
 * Changes a pull request; members that are absent keep their value. Assignees, labels, milestone and deadline are ignored
 * unless the caller may write to pull requests.
 * @throws Problem 403, 404, 409 an open one has the same branches, 412 it is merged or waits for others, 422, 503
 */
export async function editPull(context: EditContext, number: number): Promise<StoredPull> {
  const { body, caller, sql } = context
  const pull = found(await pullByNumber(sql, caller.repo.id, number))
  if (body.allow_maintainer_edit !== undefined) await requireAuthorOfHead(context, pull)
  const base = body.base && body.base !== pull.base_branch ? await newBase(context, pull) : undefined
  const owners = becomesReady(body, pull) ? await ownersNow(context, pull) : []
  const { id } = await editIssue({ ...context, body: issueEditOf(body) }, number, (tx, old) =>
    applyMore(tx, context, old, base),
  )
  if (pull.closed_at !== null) await followHead(context, id)
  if (owners.length > 0) await context.begin((tx) => askOwners(tx, context, id, owners))
  return found(await pullById(sql, id))
}

/**
 * Passes if the caller may let others push to the head branch: the author of the pull request, who may write to the branch.
 * @throws Problem 403
 */
async function requireAuthorOfHead({ sql, caller }: EditContext, pull: StoredPull): Promise<void> {
  const head = pull.head_repository_id
  const isAuthor = caller.me.id === pull.poster_id && head !== null
  if (isAuthor && (await mayWriteCode(sql, { repository: head, account: caller.me.id }))) return
  throw forbidden('SetAllowEdits: user not allowed to do this action')
}

/** Clients send an empty `assignee` and the milestone 0 wherever they change neither; the original ignores both. */
const issueEditOf = ({ assignee, milestone, ...body }: Input) => ({
  ...body,
  assignee: assignee || undefined,
  milestone: milestone || undefined,
  ref: undefined,
})

const becomesReady = ({ title }: Input, pull: StoredPull) =>
  title !== undefined && title !== '' && isDraft(pull) && !isDraft({ title })

/** Who owns what a draft changes: nobody was asked so far. @throws Problem 404, 503 */
async function ownersNow(context: EditContext, pull: StoredPull): Promise<Reviewer[]> {
  const code = await openToWrite(context)
  const span = { base: pull.merge_base, head: pull.head_commit }
  return codeOwners(context.sql, { row: code.row, repository: code }, span)
}

/** @throws Problem 404, 422 the histories have nothing in common, 503 */
async function newBase(context: EditContext, pull: StoredPull): Promise<NewBase> {
  const base = await newBaseOf(context.sql, pull, await baseNamed(context, context.body.base))
  requireCommonHistory(base.merge_base || undefined)
  return base
}

/** Changes what an issue without a proposal does not have. @throws Problem 404, 409, 412, 422 */
async function applyMore(
  tx: Tx,
  context: EditContext,
  old: StoredIssue,
  base: NewBase | undefined,
): Promise<IssueEvent[]> {
  const { body, caller } = context
  const pull = found(await pullById(tx, old.id))
  const isReopened = body.state === 'open' && old.closed_at !== null && pull.merged_at === null
  if (base && pull.merged_at !== null) throw conflict('the pull request is merged')
  if (base && old.closed_at !== null && !isReopened) throw unprocessable('the pull request is closed')
  if (base && (await isBeingMerged(tx, old.id)))
    throw conflict('the pull request is being merged; try again later')
  if (base || isReopened) await requireOnlyOne(tx, { ...pull, ...base })
  const allows = body.allow_maintainer_edit ?? pull.allow_maintainer_edit
  const allowed = { ...pull, allow_maintainer_edit: allows }
  if (base) await changeBase(tx, context, { pull: allowed, base })
  else if (allows !== pull.allow_maintainer_edit) await updatePull(tx, old.id, allowed)
  await cancelByEdit(tx, context, old, base)
  return mayWriteIssues(caller) && body.labels ? setLabels(tx, context, old, body.labels) : []
}

/** A pull request that is closed or becomes a draft, or for which strangers choose another base, is not merged by itself. */
async function cancelByEdit(
  tx: Tx,
  { body, caller }: EditContext,
  old: StoredIssue,
  base: NewBase | undefined,
): Promise<void> {
  const by = { issue: old.id, actor: caller.me.id }
  const becomesDraft = body.title ? isDraft({ title: body.title }) && !isDraft(old) : false
  if (body.state === 'closed' || becomesDraft) await cancelAutoMerge(tx, by)
  else if (base) await cancelAutoMergeByStranger(tx, { ...by, repository: old.repository_id })
}

/** Locks the repository, so that requests for the same branches are opened one after another. @throws Problem 409 */
async function requireOnlyOne(tx: Tx, next: StoredPull): Promise<void> {
  found(await lockRepository(tx, next.repository_id))
  if (next.head_repository_id === null) return
  const pair = {
    repository: next.repository_id,
    base_branch: next.base_branch,
    head_repository: next.head_repository_id,
    head_branch: next.head_branch,
  }
  const other = await pullOfPair(tx, pair)
  if (other && other.id !== next.id && other.closed_at === null) throw openAlready(other, pair)
}

async function setLabels(
  tx: Tx,
  { caller }: EditContext,
  old: StoredIssue,
  named: readonly number[],
): Promise<IssueEvent[]> {
  const labels = await resolveLabels(tx, old.repository_id, named)
  const before = old.labels.map(({ id }) => id)
  const happenings = happeningsOfSet('label', before, labels)
  if (happenings.length === 0) return []
  await replaceLabels(tx, old, labels)
  await recordHappenings(tx, { issue: old.id, actor: caller.me.id }, happenings)
  return [{ action: labels.length > 0 ? 'label_updated' : 'label_cleared' }]
}
