/**
 * The status of a run, an attempt, a job, a task or a step. `requested` waits for other jobs, `blocked` for its
 * concurrency group or an approval, `queued` for a runner; the last four are final. Names that the API has mean the
 * same there; it has no `blocked` and no `cancelling` (`api-status.ts`).
 */
export const STATUSES = [
  'requested',
  'blocked',
  'queued',
  'in_progress',
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

/** The members of a job that determine the status of its attempt. */
export interface JobOutcome {
  /** The same for all jobs of a matrix. */
  key: string
  status: Status
  /** Its failure counts as success. */
  continue_on_error: boolean
  /** It stops when another job with its key fails. */
  fails_fast: boolean
}

/** Whether a job has failed and its failure counts. */
export const isLoss = ({ status, continue_on_error }: Pick<JobOutcome, 'status' | 'continue_on_error'>) =>
  status === 'failure' && !continue_on_error

/** Precedence of statuses: an attempt has the first of these that any of its jobs has. */
const precedence = [
  'cancelling',
  'in_progress',
  'queued',
  'blocked',
  'requested',
  'cancelled',
  'failure',
] as const

/**
 * The status of an attempt from the statuses of its jobs; without jobs it is `skipped`. A job that was cancelled because
 * another one of its matrix failed counts as failed.
 */
export function aggregate(jobs: readonly JobOutcome[]): Status {
  const lostKeys = new Set(jobs.filter(isLoss).map(({ key }) => key))
  const statuses = jobs.map(({ key, status, continue_on_error, fails_fast }) => {
    if (status === 'cancelled' && fails_fast && lostKeys.has(key)) return 'failure'
    return status === 'failure' && continue_on_error ? 'success' : status
  })
  if (statuses.every((status) => status === 'skipped')) return 'skipped'
  return precedence.find((status) => statuses.includes(status)) ?? 'success'
}
