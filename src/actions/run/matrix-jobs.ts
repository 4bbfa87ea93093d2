import type { AttemptJob } from './job-store.ts'
import { isFinal, isLoss } from './status.ts'

/** Jobs with the same key form a matrix: each is a separate job, but dependents see them as one. */
type MatrixJob = Pick<AttemptJob, 'key' | 'status' | 'continue_on_error' | 'fails_fast' | 'is_copy'>

/**
 * Unfinished jobs that must stop because another job of their matrix failed (`fail-fast`). A failure copied from an
 * earlier attempt stops nothing in this one.
 */
export function lostMatrixJobs<Job extends MatrixJob>(jobs: readonly Job[]): Job[] {
  const lostKeys = new Set(jobs.filter((job) => isLoss(job) && !job.is_copy).map(({ key }) => key))
  return jobs.filter(
    ({ key, status, fails_fast }) =>
      fails_fast && lostKeys.has(key) && !isFinal(status) && status !== 'cancelling',
  )
}
