import { FINAL_STATUSES, isFinal, type Status } from './status.ts'

/** Values of `status` in the API. */
export const SHOWN_STATUSES = [
  'requested',
  'pending',
  'waiting',
  'queued',
  'in_progress',
  'completed',
] as const

type ShownStatus = (typeof SHOWN_STATUSES)[number]

/** How the API prints a status; only ended jobs and runs have a conclusion. */
export interface Shown {
  status: ShownStatus
  conclusion?: 'success' | 'failure' | 'cancelled' | 'skipped'
}

const openStatuses = {
  pending: 'requested',
  blocked: 'pending',
  waiting: 'queued',
  running: 'in_progress',
  cancelling: 'in_progress',
} as const

/** A status in the terms of the API. `awaitsApproval`: whether the run awaits an approval. */
export function showStatus(status: Status, awaitsApproval: boolean): Shown {
  if (isFinal(status)) return { status: 'completed', conclusion: status }
  return { status: status === 'blocked' && awaitsApproval ? 'waiting' : openStatuses[status] }
}

/** What a status filter selects. */
export interface Selection {
  statuses: readonly Status[]
  /**
   * For `blocked`: true = awaiting an approval, false = not; undefined: both, or `blocked` is not among the statuses.
   */
  awaited: boolean | undefined
}

/**
 * What each value of a filter selects: all that prints it as `status` or `conclusion`. As in Gitea, `pending` and
 * `waiting` also select jobs that wait for other jobs, which print `requested`, and `waiting` selects everything
 * `pending` does.
 */
const selections: Readonly<Record<string, Partial<Selection> & Pick<Selection, 'statuses'>>> = {
  requested: { statuses: ['pending'] },
  pending: { statuses: ['pending', 'blocked'], awaited: false },
  waiting: { statuses: ['pending', 'blocked'] },
  action_required: { statuses: ['blocked'], awaited: true },
  queued: { statuses: ['waiting'] },
  in_progress: { statuses: ['running', 'cancelling'] },
  completed: { statuses: FINAL_STATUSES },
  success: { statuses: ['success'] },
  failure: { statuses: ['failure'] },
  skipped: { statuses: ['skipped'] },
  neutral: { statuses: ['skipped'] },
  cancelled: { statuses: ['cancelled'] },
  timed_out: { statuses: ['cancelled'] },
}

/** The union of what these values select, or the first unknown value. */
export function selectionOf(words: readonly string[]): Selection | { unknown: string } {
  const statuses = new Set<Status>()
  const awaited = new Set<boolean>()
  for (const word of words) {
    const selection = Object.hasOwn(selections, word) ? selections[word] : undefined
    if (!selection) return { unknown: word }
    for (const status of selection.statuses) statuses.add(status)
    if (selection.statuses.includes('blocked'))
      for (const each of selection.awaited === undefined ? [true, false] : [selection.awaited])
        awaited.add(each)
  }
  const [single] = awaited
  return { statuses: [...statuses], awaited: awaited.size === 1 ? single : undefined }
}
