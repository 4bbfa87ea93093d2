import type * as v from 'valibot'
import { eventsOf } from '../../../background/domain-events.ts'
import type { Consumer } from '../../../background/outbox.ts'
import type { Tx } from '../../../db/sql.ts'
import { conflict, forbidden, found, notFound } from '../../../http/route/problem.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { lockIssue } from '../../issues/issue-store.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import type { SignedInOnRepository } from '../../repos/access.ts'
import type { ForgeContext } from '../../route.ts'
import { levelsOfReviewer } from '../reviews/review-store.ts'
import { autoMergeOf, deleteAutoMerge, insertAutoMerge, noticeAutoMerges } from './auto-merge-store.ts'
import type { MergePullRequestOption } from './merge.option.ts'
import { pullToMerge } from './merge-store.ts'

/** Merges that wait until nothing is against them: who schedules and cancels them, and what makes them due. */

type Context = ForgeContext<SignedInOnRepository>

/** Stores that a pull request is to be merged for the caller. @throws Problem 404, 409 somebody has scheduled it already */
export async function scheduleMerge(
  { begin, caller }: Context,
  number: number,
  body: v.InferOutput<typeof MergePullRequestOption>,
): Promise<void> {
  await begin(async (tx) => {
    const issue = found(await lockIssue(tx, caller.repo.id, number))
    if (issue.closed_at !== null) throw notFound()
    const draft = {
      issue_id: issue.id,
      account_id: caller.me.id,
      style: body.Do,
      title: body.MergeTitleField,
      message: body.MergeMessageField,
      deletes_branch: body.delete_branch_after_merge ?? null,
    }
    if (!(await insertAutoMerge(tx, draft)))
      throw conflict('pull request is already scheduled to auto merge when checks succeed')
    await recordHappenings(tx, { issue: issue.id, actor: caller.me.id }, [{ type: 'pull_scheduled_merge' }])
    await tx.wake()
  })
}

/** Cancels the scheduled merge of a pull request. @throws Problem 403 another account has scheduled it, 404 */
export async function cancelScheduledMerge({ begin, caller, sql }: Context, number: number): Promise<void> {
  const pull = found(await pullToMerge(sql, caller.repo.id, number))
  await begin(async (tx) => {
    const scheduled = found(await autoMergeOf(tx, pull.id))
    if (scheduled.account_id !== caller.me.id && caller.repo.level < LEVELS.admin)
      throw forbidden('user has no permission to cancel the scheduled auto merge')
    // Somebody else may have cancelled it, or it was done, since it was read.
    if (!(await cancelAutoMerge(tx, { issue: pull.id, actor: caller.me.id }))) throw notFound()
  })
}

/** Cancels the scheduled merge of a pull request: for what its account did not agree to; false if there is none. */
export async function cancelAutoMerge(
  tx: Tx,
  { issue, actor }: { issue: number; actor: number },
): Promise<boolean> {
  if (!(await deleteAutoMerge(tx, issue))) return false
  await recordHappenings(tx, { issue, actor }, [{ type: 'pull_cancel_scheduled_merge' }])
  return true
}

/** The same, unless the actor may write to the base repository: a stranger changes what was agreed to. */
export async function cancelAutoMergeByStranger(
  tx: Tx,
  { issue, actor, repository }: { issue: number; actor: number; repository: number },
): Promise<void> {
  if ((await levelsOfReviewer(tx, repository, actor)).code < LEVELS.write)
    await cancelAutoMerge(tx, { issue, actor })
}

/**
 * Makes the scheduled merges of repositories due in which something has happened that may have been against them. Triggers of
 * the database emit `jobs.changed`: `action_job_told_insert` and `action_job_told_update`.
 */
export const autoMergeConsumer: Consumer = async (sql, events, now) => {
  const changes = eventsOf(events, ['ref.updated', 'pull.changed', 'commit_status.created'])
  const jobs = eventsOf(events, ['jobs.changed']).flatMap((event) => event.jobs.map(({ id }) => id))
  const repositories = [...new Set(changes.map(({ location }) => location.repository))]
  await noticeAutoMerges(sql, { repositories, jobs }, now)
}
