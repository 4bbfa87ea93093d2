import { conditionHolds } from '../workflow/condition.ts'
import type { StatusWords } from '../workflow/expression.ts'
import { attempt } from '../workflow/fault.ts'
import type { WrittenConcurrency } from '../workflow/job.ts'
import { type Concurrency, fillConcurrency } from '../workflow/plan.ts'
import { type Names, namesOf, valueFrom } from '../workflow/values.ts'
import type { AttemptJob } from './job-store.ts'
import { aggregate, isFinal, type Status } from './status.ts'

/** A job as its own end, and that of others, decide about it. */
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
>

/** Jobs that wait for others which are all done; of a matrix as many as may be under way (`max-parallel`). */
export function readyJobs<Job extends Dependent>(jobs: readonly Job[]): Job[] {
  const open = jobs.filter(({ status }) => !isFinal(status))
  const waitedFor = new Set(open.map(({ key }) => key))
  const underWay = new Map<string, number>()
  for (const { key, status } of open)
    if (status !== 'pending') underWay.set(key, (underWay.get(key) ?? 0) + 1)
  return open.filter(({ key, status, needs, max_parallel }) => {
    const before = underWay.get(key) ?? 0
    if (status !== 'pending' || needs.some((need) => waitedFor.has(need))) return false
    if (max_parallel !== null && before >= max_parallel) return false
    underWay.set(key, before + 1)
    return true
  })
}

/** What the jobs of a key have come to together: a matrix is one job to those that need it. */
export const outcomeOf = (jobs: readonly Dependent[], key: string): Status =>
  aggregate(jobs.filter((job) => job.key === key))

/** What `success()`, `failure()` and `cancelled()` say in a job. A job that was skipped was no success. */
export function statusWords({ needs }: Dependent, jobs: readonly Dependent[]): StatusWords {
  const outcomes = needs.map((need) => outcomeOf(jobs, need))
  return {
    success: outcomes.every((outcome) => outcome === 'success'),
    failure: outcomes.includes('failure'),
    cancelled: outcomes.includes('cancelled'),
  }
}

/** Outputs of the jobs of an attempt, by the key of the job; of several with that key those that are not empty win. */
export type Outputs = ReadonlyMap<string, Readonly<Record<string, string>>>

/** `needs` in the expressions of a job. */
export function needsContext({ needs }: Dependent, jobs: readonly Dependent[], outputs: Outputs): Names {
  return namesOf(
    needs.map((need) => {
      const result = outcomeOf(jobs, need)
      return [need, valueFrom({ result, outputs: outputs.get(need) ?? {} })]
    }),
  )
}

/** What becomes of a job whose needs are done. */
type Decision =
  | { readonly runs: false }
  | { readonly runs: true; readonly concurrency: Concurrency | undefined }
  | { readonly fault: string }

/** Whether a job needs no more than the outcomes of others to be decided. One that needs none is its runner's to judge. */
export const isPlain = ({ needs, condition, concurrency_source }: Dependent) =>
  needs.length === 0 || (condition.trim() === '' && concurrency_source === null)

/** Decides by its `if`, and evaluates the group that it waited with. `contexts` holds all that its expressions may name. */
export function decide(job: Dependent, status: StatusWords, contexts: Names): Decision {
  const decided = attempt((): Decision => {
    if (!conditionHolds(job.condition, { contexts, status })) return { runs: false }
    const written = writtenOf(job.concurrency_source)
    return { runs: true, concurrency: written && fillConcurrency(written, { contexts }) }
  })
  return 'value' in decided ? decided.value : decided
}

/** What `draftOf` wrote. */
function writtenOf(source: string | null): WrittenConcurrency | undefined {
  if (source === null) return undefined
  const { group, cancel }: Partial<WrittenConcurrency> = JSON.parse(source)
  return { group: group ?? '', cancel: cancel ?? 'false' }
}
