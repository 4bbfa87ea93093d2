import type { AttemptJob } from './job-store.ts'
import { isFinal, isLoss } from './status.ts'

/** Jobs of one key are the legs of a matrix: each a job of its own, and one job to those that need it. */
type Leg = Pick<AttemptJob, 'key' | 'status' | 'continue_on_error' | 'fails_fast' | 'is_copy'>

/**
 * Legs that are not to go on, because another one of their matrix has failed (`fail-fast`), and that nobody has stopped
 * yet. What failed in an earlier attempt ends nothing in this one.
 */
export function lostMatrixJobs<Job extends Leg>(legs: readonly Job[]): Job[] {
  const lost = new Set(legs.filter((leg) => isLoss(leg) && !leg.is_copy).map(({ key }) => key))
  return legs.filter(
    ({ key, status, fails_fast }) =>
      fails_fast && lost.has(key) && !isFinal(status) && status !== 'cancelling',
  )
}
