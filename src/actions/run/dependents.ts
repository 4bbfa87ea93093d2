import type { Outcome } from '../../common/outcome.ts'
import { type Concurrency, type ConcurrencySource, fillConcurrency } from '../workflow/concurrency.ts'
import { conditionHolds, conditionUses } from '../workflow/condition.ts'
import type { StatusResults } from '../workflow/expression.ts'
import { attempt } from '../workflow/fault.ts'
import type { Json, Names } from '../workflow/values.ts'
import type { AttemptJob } from './attempt-job-store.ts'
import { bareKey } from './call-scope.ts'
import { aggregate, isFinal, isLoss, type Status } from './status.ts'

/** The members of a job that decide when and whether it runs. */
type Dependent = Pick<
  AttemptJob,
  | 'id'
  | 'key'
  | 'status'
  | 'needs'
  | 'condition'
  | 'continue_on_error'
  | 'fails_fast'
  | 'max_parallel'
  | 'concurrency_source'
  | 'is_deferred'
  | 'calls'
>

/** Pending jobs whose needs have all ended; of a matrix at most `max-parallel` are active at a time. */
export function readyJobs<Job extends Dependent>(jobs: readonly Job[]): Job[] {
  const open = jobs.filter(({ status }) => !isFinal(status))
  const unfinishedKeys = new Set(open.map(({ key }) => key))
  const activeCount = new Map<string, number>()
  for (const { key, status } of open)
    if (status !== 'requested') activeCount.set(key, (activeCount.get(key) ?? 0) + 1)
  return open.filter(({ key, status, needs, max_parallel }) => {
    const active = activeCount.get(key) ?? 0
    if (status !== 'requested' || needs.some((need) => unfinishedKeys.has(need))) return false
    if (max_parallel !== null && active >= max_parallel) return false
    activeCount.set(key, active + 1)
    return true
  })
}

/**
 * Unfinished jobs that must stop because another job of their matrix failed (`fail-fast`); jobs with the same key form a
 * matrix. A failure copied from an earlier attempt stops nothing in this one.
 */
export function lostMatrixJobs(jobs: readonly AttemptJob[]): AttemptJob[] {
  const lostKeys = new Set(jobs.filter((job) => isLoss(job) && !job.is_copy).map(({ key }) => key))
  return jobs.filter(
    ({ key, status, fails_fast }) =>
      fails_fast && lostKeys.has(key) && !isFinal(status) && status !== 'cancelling',
  )
}

/** The combined status of the jobs with a key: dependents see a matrix as one job. */
const outcomeOf = (jobs: readonly Dependent[], key: string): Status =>
  aggregate(jobs.filter((job) => job.key === key))

/** Results of `success()`, `failure()` and `cancelled()` in a job. A skipped job is not a success. */
export function statusContext({ needs }: Dependent, jobs: readonly Dependent[]): StatusResults {
  const outcomes = needs.map((need) => outcomeOf(jobs, need))
  return {
    success: outcomes.every((outcome) => outcome === 'success'),
    failure: outcomes.includes('failure'),
    cancelled: outcomes.includes('cancelled'),
  }
}

/** Outputs of the jobs of an attempt by job key, merged by `mergeOutput`. */
type Outputs = ReadonlyMap<string, { readonly [name: string]: string }>

/** The `needs` context of a job's expressions. */
export const needsOf = (
  { needs }: Pick<Dependent, 'needs'>,
  jobs: readonly Dependent[],
  outputs: Outputs,
): { readonly [key: string]: Json } =>
  Object.fromEntries(
    needs.map((need) => [bareKey(need), { result: outcomeOf(jobs, need), outputs: outputs.get(need) ?? {} }]),
  )

/** The decision on a job whose needs have ended. */
type Decision =
  | { readonly runs: false }
  | { readonly runs: true; readonly concurrency: Concurrency | undefined }

/** True if the outcomes of the needs alone decide a job. The runner evaluates the condition of a job without needs. */
export const needsNoExpressions = ({ needs, condition, concurrency_source, calls }: Dependent) =>
  (needs.length === 0 && !calls) || (condition.trim() === '' && concurrency_source === null)

/** Whether the combinations of a deferred job, which nobody knows yet, decide for themselves. */
const decidesLater = ({ is_deferred, condition }: Dependent) =>
  is_deferred && conditionUses(condition, 'matrix')

/** Evaluates a job's `if` and its deferred concurrency group. `contexts`: everything that its expressions may name. */
export function decide(job: Dependent, status: StatusResults, contexts: Names): Outcome<Decision, string> {
  return attempt((): Decision => {
    if (decidesLater(job)) return { runs: true, concurrency: undefined }
    if (!conditionHolds(job.condition, { contexts, status })) return { runs: false }
    const source = parsedConcurrency(job.concurrency_source)
    return { runs: true, concurrency: source && fillConcurrency(source, { contexts }) }
  })
}

/** Parses the JSON that `draftOf` (start.ts) has stored. */
function parsedConcurrency(source: string | null): ConcurrencySource | undefined {
  if (source === null) return undefined
  const { group, cancel }: Partial<ConcurrencySource> = JSON.parse(source)
  return { group: group ?? '', cancel: cancel ?? 'false' }
}
