import type { Tx } from '../../db/sql.ts'
import { done, failed, type Outcome } from '../../outcome.ts'
import { type AttemptJob, jobsOfAttempt } from './attempt-job-store.ts'
import { copyJobs, type JobCopy } from './job-store.ts'
import { insertAttempt, lockRun } from './run-store.ts'
import { beginAttempt } from './state.ts'
import { isFinal } from './status.ts'

/** The jobs to run again: all, the failed and cancelled ones, or one; always with their dependents. */
export type RerunScope = 'all' | 'failed' | { readonly job: number }

/** Why no job runs again. */
export type RerunFault = 'deleted' | 'unfinished' | 'no jobs' | 'too many attempts'

/** Maximum attempts of a run. */
export const maxAttempts = 50

/** Starts a further attempt of a finished run. */
export async function rerun(
  tx: Tx,
  { run, actor, scope }: { run: number; actor: number; scope: RerunScope },
): Promise<Outcome<number, RerunFault>> {
  const locked = await lockRun(tx, run)
  if (!locked) return failed('deleted')
  const jobs = await jobsOfAttempt(tx, run, locked.attempt)
  if (!isFinal(locked.status) || jobs.some(({ status }) => !isFinal(status))) return failed('unfinished')
  if (locked.attempt >= maxAttempts) return failed('too many attempts')
  const rerunJobs = withDependents(
    jobs,
    jobs.filter((job) => isInScope(job, scope)),
  )
  if (rerunJobs.size === 0) return failed('no jobs')
  const attempt = await insertAttempt(tx, locked, actor)
  await copyJobs(tx, run, { from: locked.attempt, to: attempt }, copiesOf(jobs, rerunJobs, scope))
  await beginAttempt(tx, { run, attempt, repository: locked.repository_id })
  return done(attempt)
}

function isInScope({ id, status }: AttemptJob, scope: RerunScope): boolean {
  if (scope === 'all') return true
  return scope === 'failed' ? status === 'failure' || status === 'cancelled' : id === scope.job
}

/** The jobs and all their direct and indirect dependents. */
function withDependents(jobs: readonly AttemptJob[], start: readonly AttemptJob[]): ReadonlySet<AttemptJob> {
  const selected = new Set(start)
  for (let sizeBefore = -1; sizeBefore < selected.size; ) {
    sizeBefore = selected.size
    const keys = keysOf(selected)
    for (const job of jobs) if (job.needs.some((need) => keys.has(need))) selected.add(job)
  }
  return selected
}

const keysOf = (jobs: Iterable<AttemptJob>) => new Set([...jobs].map(({ key }) => key))

/**
 * What becomes of each job. When jobs run again that a deferred one needs, it is planned again, and its other combinations
 * of the previous attempt are left out.
 */
function copiesOf(jobs: readonly AttemptJob[], again: ReadonlySet<AttemptJob>, scope: RerunScope): JobCopy[] {
  const keys = keysOf(again)
  const isPlannedAgain = ({ was_deferred, needs }: AttemptJob) =>
    was_deferred && (scope === 'all' || needs.some((need) => keys.has(need)))
  const plannedKeys = keysOf(jobs.filter(isPlannedAgain))
  return jobs.flatMap((job): JobCopy[] => {
    const { id, key, name, is_deferred } = job
    if (isPlannedAgain(job)) return [{ id, name: key, does: 'plan' }]
    if (plannedKeys.has(key)) return []
    if (!again.has(job)) return [{ id, name, does: 'keep' }]
    return [{ id, name, does: is_deferred ? 'plan' : 'run' }]
  })
}
