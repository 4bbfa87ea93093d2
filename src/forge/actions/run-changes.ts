import { maxAttempts, type RerunFault, type RerunScope, rerun } from '../../actions/run/rerun.ts'
import { approveRun, lockRun } from '../../actions/run/run-store.ts'
import { beginAttempt, cancelAttempt } from '../../actions/run/state.ts'
import { isFinal } from '../../actions/run/status.ts'
import { isDisabled } from '../../actions/trigger/workflow-store.ts'
import { badRequest, conflict, found, notFound, type Problem } from '../../http/route/problem.ts'
import { record } from '../audit/audit-trail.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import type { ForgeContext } from '../route.ts'
import { runInRepository } from './run-list-store.ts'

/** Changes of runs, which the API and the pages use. */

type Context = Pick<ForgeContext<SignedInOnRepository>, 'begin' | 'caller' | 'from'>

/** Cancels a run. @throws Problem 404, 409 it has ended */
export async function cancelRun(context: Context, run: number): Promise<void> {
  await context.begin(async (tx) => {
    const stored = found(await runInRepository(tx, context.caller.repo.id, run))
    if (!(await cancelAttempt(tx, { run, attempt: stored.run.attempt })))
      throw conflict('the run has already ended')
    await record(tx, context, { action: 'workflow_run.cancelled', target: targetOf(context, run) })
  })
}

/** Lets a run of a pull request from a fork start; one that was cancelled starts when it runs again. @throws Problem 404, 409 it waits for no approval */
export async function approve(context: Context, run: number): Promise<void> {
  const { caller, begin } = context
  await begin(async (tx) => {
    found(await runInRepository(tx, caller.repo.id, run))
    const { attempt, status } = found(await lockRun(tx, run))
    if (!(await approveRun(tx, run, caller.me.id))) throw conflict('the run waits for no approval')
    if (!isFinal(status)) await beginAttempt(tx, { run, attempt, repository: caller.repo.id })
    await record(tx, context, { action: 'workflow_run.approved', target: targetOf(context, run) })
  })
}

const problems: Readonly<Record<RerunFault, () => Problem>> = {
  deleted: () => notFound(),
  unfinished: () => badRequest('this workflow run is not done'),
  'no jobs': () => badRequest('there is no job that could run again'),
  'too many attempts': () => badRequest(`a run has at most ${maxAttempts} attempts`),
}

/** Starts a further attempt; returns its number. @throws Problem 400, 404 */
export async function startRerun(context: Context, run: number, scope: RerunScope): Promise<number> {
  if (context.caller.repo.is_archived) throw badRequest('the repository is archived')
  return context.begin(async (tx) => {
    const { run: stored } = found(await runInRepository(tx, context.caller.repo.id, run))
    if (await isDisabled(tx, stored.repository_id, stored.workflow_file))
      throw badRequest('the workflow is disabled')
    const result = await rerun(tx, { run, actor: context.caller.me.id, scope })
    if (!result.ok) throw problems[result.fault]()
    const target = targetOf(context, run)
    await record(tx, context, { action: 'workflow_run.rerun', target, details: { attempt: result.value } })
    return result.value
  })
}

/** A run, for the audit trail. */
export const targetOf = ({ caller }: Context, run: number) => ({
  kind: 'workflow_run',
  id: run,
  name: `${caller.subject.name}/${caller.repo.name}`,
})
