import { FINAL_STATUSES, type FinalStatus, isFinal, type Status } from './status.ts'

/** Maps statuses to those of the API and of webhooks; nothing else does. */

/** Values of `status` in the API. */
export const API_STATUSES = ['requested', 'pending', 'waiting', 'queued', 'in_progress', 'completed'] as const

/** A status in the API; only ended jobs and runs have a conclusion. */
interface ApiStatus {
  status: (typeof API_STATUSES)[number]
  conclusion?: FinalStatus
}

/** A status in the API. `awaitsApproval`: whether the run awaits an approval. */
export function apiStatus(status: Status, awaitsApproval: boolean): ApiStatus {
  if (isFinal(status)) return { status: 'completed', conclusion: status }
  if (status === 'blocked') return { status: awaitsApproval ? 'waiting' : 'pending' }
  return { status: status === 'cancelling' ? 'in_progress' : status }
}

/** The `action` of the webhook event `workflow_job` for a job's new status. */
export function jobAction(status: Status): 'waiting' | 'queued' | 'in_progress' | 'completed' {
  if (status === 'requested' || status === 'blocked') return 'waiting'
  if (status === 'queued') return 'queued'
  return isFinal(status) ? 'completed' : 'in_progress'
}

/**
 * The `action` of the webhook event `workflow_run` for a run's new status. Undefined: no event, since a run is
 * requested once and starts once. `isStart`: the run starts with this change.
 */
export function runAction(
  status: Status,
  isStart: boolean,
): 'requested' | 'in_progress' | 'completed' | undefined {
  if (isFinal(status)) return 'completed'
  // Every attempt is inserted as `requested` and never returns to it.
  if (status === 'requested') return 'requested'
  return status === 'in_progress' && isStart ? 'in_progress' : undefined
}

/** The jobs or runs that a filter selects. */
export interface Selection {
  statuses: readonly Status[]
  /**
   * For `blocked`: true = awaiting an approval, false = not; undefined: both, or `blocked` is not among the statuses.
   */
  awaited: boolean | undefined
}

/**
 * Selections by value of the filter: the statuses that the API prints as this `status` or `conclusion`. As in Gitea,
 * `pending` and `waiting` also select jobs that wait for other jobs, which print `requested`, and `waiting` selects
 * everything `pending` does.
 */
const selections: Readonly<Record<string, Partial<Selection> & Pick<Selection, 'statuses'>>> = {
  requested: { statuses: ['requested'] },
  pending: { statuses: ['requested', 'blocked'], awaited: false },
  waiting: { statuses: ['requested', 'blocked'] },
  action_required: { statuses: ['blocked'], awaited: true },
  queued: { statuses: ['queued'] },
  in_progress: { statuses: ['in_progress', 'cancelling'] },
  completed: { statuses: FINAL_STATUSES },
  success: { statuses: ['success'] },
  failure: { statuses: ['failure'] },
  skipped: { statuses: ['skipped'] },
  neutral: { statuses: ['skipped'] },
  cancelled: { statuses: ['cancelled'] },
  timed_out: { statuses: ['cancelled'] },
}

/** The values of a filter. */
export const STATUS_FILTERS = Object.keys(selections)

/** The union of the selections of these values, or the first unknown value. */
export function selectionOf(values: readonly string[]): Selection | { unknown: string } {
  const statuses = new Set<Status>()
  const awaited = new Set<boolean>()
  for (const value of values) {
    const selection = Object.hasOwn(selections, value) ? selections[value] : undefined
    if (!selection) return { unknown: value }
    for (const status of selection.statuses) statuses.add(status)
    if (selection.statuses.includes('blocked'))
      for (const each of selection.awaited === undefined ? [true, false] : [selection.awaited])
        awaited.add(each)
  }
  const [single] = awaited
  return { statuses: [...statuses], awaited: awaited.size === 1 ? single : undefined }
}
