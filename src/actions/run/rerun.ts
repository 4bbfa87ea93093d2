import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { Tx } from '../../db/sql.ts'
import { type AttemptJob, jobsOfAttempt } from './attempt-job-store.ts'
import { bareKey, callerNumber, callerOf } from './call-scope.ts'
import { copyJobs, type JobCopy } from './job-store.ts'
import { insertAttempt, lockRun } from './run-store.ts'
import { beginAttempt } from './state.ts'
import { isFinal } from './status.ts'
import { shortText } from './storable-text.ts'

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
  const selected = withDependents(
    jobs,
    jobs.filter((job) => isInScope(job, scope, jobs)),
  )
  if (selected.again.size === 0) return failed('no jobs')
  const attempt = await insertAttempt(tx, locked, actor)
  await copyJobs(tx, run, { from: locked.attempt, to: attempt }, copiesOf(jobs, selected, scope))
  await beginAttempt(tx, { run, attempt, repository: locked.repository_id })
  return done(attempt)
}

function isInScope(job: AttemptJob, scope: RerunScope, jobs: readonly AttemptJob[]): boolean {
  if (scope === 'all') return true
  if (scope !== 'failed') return job.id === scope.job
  if (!hasFailed(job)) return false
  // Of a called workflow, the jobs that have failed run again, unless the call itself has failed.
  return (
    job.call === null ||
    !jobs.some(({ key, ...other }) => callerNumber(key) === job.number && hasFailed(other))
  )
}

const hasFailed = ({ status }: Pick<AttemptJob, 'status'>) => status === 'failure' || status === 'cancelled'

/** Jobs that run again, and jobs that call a workflow of which only some jobs run again. */
interface Selected {
  readonly again: ReadonlySet<AttemptJob>
  readonly resumed: ReadonlySet<AttemptJob>
}

/** The jobs and all their direct and indirect dependents. */
function withDependents(jobs: readonly AttemptJob[], start: readonly AttemptJob[]): Selected {
  const again = new Set(start)
  const resumed = new Set<AttemptJob>()
  for (let sizeBefore = -1; sizeBefore < again.size + resumed.size; ) {
    sizeBefore = again.size + resumed.size
    const keys = keysOf([...again, ...resumed])
    for (const job of jobs) if (job.needs.some((need) => keys.has(need))) again.add(job)
    for (const { key } of [...again, ...resumed]) {
      const caller = callerOf(key, jobs)
      if (caller && !again.has(caller)) resumed.add(caller)
    }
  }
  return { again, resumed: new Set([...resumed].filter((job) => !again.has(job))) }
}

const keysOf = (jobs: Iterable<AttemptJob>) => new Set([...jobs].map(({ key }) => key))

/**
 * What becomes of each job. When jobs run again that a deferred one needs, it is planned again, and its other combinations
 * of the previous attempt are left out; so are the jobs of a workflow that is called again.
 */
function copiesOf(jobs: readonly AttemptJob[], { again, resumed }: Selected, scope: RerunScope): JobCopy[] {
  const keys = keysOf([...again, ...resumed])
  const isPlannedAgain = ({ was_deferred, needs }: AttemptJob) =>
    was_deferred && (scope === 'all' || needs.some((need) => keys.has(need)))
  const planned = new Set(jobs.filter(isPlannedAgain))
  const plannedKeys = keysOf(planned)
  const isSibling = (job: AttemptJob) => plannedKeys.has(job.key) && !planned.has(job)
  const isOutdated = (job: AttemptJob): boolean => {
    const caller = callerOf(job.key, jobs)
    const isCalledAgain = caller !== undefined && (again.has(caller) || planned.has(caller))
    return isSibling(job) || isCalledAgain || (caller !== undefined && isOutdated(caller))
  }
  return jobs.flatMap((job): JobCopy[] => {
    const { id, name } = job
    if (isOutdated(job)) return []
    if (isPlannedAgain(job)) return [{ id, name: placeholderName(job, jobs), does: 'plan' }]
    if (resumed.has(job)) return [{ id, name, does: 'resume' }]
    if (!again.has(job)) return [{ id, name, does: 'keep' }]
    return [{ id, name, does: job.is_deferred ? 'plan' : job.calls ? 'call' : 'run' }]
  })
}

/** The name of a deferred job before it is planned. */
function placeholderName({ key }: AttemptJob, jobs: readonly AttemptJob[]): string {
  const caller = callerOf(key, jobs)
  return caller ? shortText(`${caller.name} / ${bareKey(key)}`) : key
}
