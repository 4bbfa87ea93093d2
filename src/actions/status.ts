/**
 * What a run, an attempt, a job, a task or a step is. `pending` waits for other jobs, `blocked` for its concurrency group
 * or an approval, `waiting` for a runner; the last four are final.
 */
export const STATUSES = [
  'pending',
  'blocked',
  'waiting',
  'running',
  'cancelling',
  'success',
  'failure',
  'cancelled',
  'skipped',
] as const

export type Status = (typeof STATUSES)[number]
export type FinalStatus = Extract<Status, 'success' | 'failure' | 'cancelled' | 'skipped'>

export const FINAL_STATUSES: readonly FinalStatus[] = ['success', 'failure', 'cancelled', 'skipped']

export function isFinal(status: Status): status is FinalStatus {
  return status === 'success' || status === 'failure' || status === 'cancelled' || status === 'skipped'
}

/** A job as the status of its attempt is made of it. */
export interface Part {
  status: Status
  /** Its failure counts as success. */
  continue_on_error: boolean
}

/** What is asked in turn when not all is well: the first status that any job has is that of the attempt. */
const worst = ['cancelling', 'running', 'waiting', 'blocked', 'pending', 'cancelled', 'failure'] as const

/** The status of an attempt, of those of its jobs; of no jobs at all it is `skipped`. */
export function aggregate(parts: readonly Part[]): Status {
  const counted = parts.map(({ status, continue_on_error }) =>
    status === 'failure' && continue_on_error ? 'success' : status,
  )
  if (counted.every((status) => status === 'skipped')) return 'skipped'
  return worst.find((status) => counted.includes(status)) ?? 'success'
}
