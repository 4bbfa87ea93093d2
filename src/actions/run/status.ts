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
  /** Jobs of one matrix share it. */
  key: string
  status: Status
  /** Its failure counts as success. */
  continue_on_error: boolean
  /** The failure of another job of its key ends it. */
  fails_fast: boolean
}

/** Whether a job has failed, and that counts. */
export const isLoss = ({ status, continue_on_error }: Pick<Part, 'status' | 'continue_on_error'>) =>
  status === 'failure' && !continue_on_error

/** What is asked in turn when not all is well: the first status that any job has is that of the attempt. */
const worst = ['cancelling', 'running', 'waiting', 'blocked', 'pending', 'cancelled', 'failure'] as const

/**
 * The status of an attempt, of those of its jobs; of no jobs at all it is `skipped`. What was cancelled because another
 * job of its matrix had failed adds nothing to that failure.
 */
export function aggregate(parts: readonly Part[]): Status {
  const lost = new Set(parts.filter(isLoss).map(({ key }) => key))
  const counted = parts.map(({ key, status, continue_on_error, fails_fast }) => {
    if (status === 'cancelled' && fails_fast && lost.has(key)) return 'failure'
    return status === 'failure' && continue_on_error ? 'success' : status
  })
  if (counted.every((status) => status === 'skipped')) return 'skipped'
  return worst.find((status) => counted.includes(status)) ?? 'success'
}
