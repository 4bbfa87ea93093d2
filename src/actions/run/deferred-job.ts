import type { Tx } from '../../db/sql.ts'
import { done, failed, type Outcome } from '../../outcome.ts'
import { maxJobs } from '../workflow/matrix.ts'
import { type DeferredJob, deferredJob, jobsOfAttempt, lastJobNumber } from './attempt-job-store.ts'
import { needsOf } from './dependents.ts'
import { jobDraftOf } from './job-draft.ts'
import { insertJobs, type JobDraft, putFirstCombination, transitionJobs } from './job-store.ts'
import { lockRun } from './run-store.ts'
import { runtimeFacts } from './runtime-context.ts'
import { type StartDeps, StartError } from './start.ts'
import { advanceRun } from './state.ts'
import { storableText } from './storable-text.ts'

/**
 * Plans a deferred job whose needs have ended: its row becomes the first combination, and the others follow it. Does so
 * in one transaction with `also`; if `also` returns false, nothing happens. A job that cannot be planned fails.
 * @throws StartError
 */
export async function resolveDeferredJob(
  deps: StartDeps,
  id: number,
  also: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const job = await deferredJob(deps.sql, id)
  const planned = job && (await draftsOf(deps, job))
  await deps.begin(async (tx) => {
    if (!(await also(tx)) || !planned) return
    if (!(await lockRun(tx, job.run_id))) return
    await storePlan(tx, job, planned)
    await advanceRun(tx, job.run_id, job.attempt)
  })
}

/** The combinations of a job; undefined when its run was deleted. @throws StartError */
async function draftsOf(
  { sql, planner, log }: StartDeps,
  { run_id: run, attempt, key, needs, condition, expansion }: DeferredJob,
): Promise<Outcome<JobDraft[], string> | undefined> {
  const facts = await runtimeFacts(sql, { run, attempt })
  if (!facts) return undefined
  const { contexts, outputs, owner } = facts
  const jobs = await jobsOfAttempt(sql, run, attempt)
  const result = await planner.expand(
    expansion,
    { ...contexts, needs: needsOf({ needs }, jobs, outputs) },
    owner,
  )
  if (result.ok) {
    const drafts = result.value.map(jobDraftOf)
    const fault = drafts.find(({ status }) => status === 'failure')?.message
    if (fault !== undefined) return failed(fault)
    return done(drafts.map((draft) => ({ ...draft, key, needs, condition, status: 'requested' })))
  }
  if (result.fault.kind === 'file') return failed(result.fault.message)
  log.error('cannot plan a deferred job', { run, key, error: result.fault.log })
  if (result.fault.kind === 'busy') throw new StartError('too many workflow files are waiting to be read')
  return failed('the job could not be read')
}

async function storePlan(tx: Tx, job: DeferredJob, planned: Outcome<JobDraft[], string>): Promise<void> {
  const { id, run_id: run, attempt, repository_id: repository } = job
  const count = (await jobsOfAttempt(tx, run, attempt)).length
  const checked =
    planned.ok && count + planned.value.length - 1 > maxJobs
      ? failed(`there are more than ${maxJobs} jobs`)
      : planned
  if (!checked.ok) {
    await transitionJobs(tx, [{ id, status: 'failure', message: storableText(checked.fault) }])
    return
  }
  const [first, ...others] = checked.value
  if (!first || !(await putFirstCombination(tx, id, first))) return
  await insertJobs(tx, { run, attempt, repository }, others, await lastJobNumber(tx, run, attempt))
}
