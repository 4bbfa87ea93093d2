import { FINAL_STATUSES, isFinal, type Status } from './status.ts'

/** Words that the API prints as `status`. */
export const SHOWN_STATUSES = [
  'requested',
  'pending',
  'waiting',
  'queued',
  'in_progress',
  'completed',
] as const

type ShownStatus = (typeof SHOWN_STATUSES)[number]

/** What the API prints of a state; a conclusion only of what has ended. */
export interface Shown {
  status: ShownStatus
  conclusion?: 'success' | 'failure' | 'cancelled' | 'skipped'
}

const open = {
  pending: 'requested',
  blocked: 'pending',
  waiting: 'queued',
  running: 'in_progress',
  cancelling: 'in_progress',
} as const

/** A state in the words of the API. `awaited`: somebody's approval of the run. */
export function showStatus(status: Status, awaited: boolean): Shown {
  if (isFinal(status)) return { status: 'completed', conclusion: status }
  return { status: status === 'blocked' && awaited ? 'waiting' : open[status] }
}

/** What a filter selects. */
export interface Selection {
  statuses: readonly Status[]
  /** Of what is blocked: what awaits an approval, or what does not; undefined: both, or it is not among the statuses. */
  awaited: boolean | undefined
}

/**
 * What each word of a filter selects: everything that prints it, as `status` or as `conclusion`. As in Gitea, `pending` and
 * `waiting` also select jobs that wait for others, which print `requested`, and `waiting` selects all that `pending` does.
 */
const selected: Readonly<Record<string, Partial<Selection> & Pick<Selection, 'statuses'>>> = {
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

/** All that any of these words selects, or the word that selects nothing. */
export function selectionOf(words: readonly string[]): Selection | { unknown: string } {
  const statuses = new Set<Status>()
  const awaited = new Set<boolean>()
  for (const word of words) {
    const one = Object.hasOwn(selected, word) ? selected[word] : undefined
    if (!one) return { unknown: word }
    for (const status of one.statuses) statuses.add(status)
    if (one.statuses.includes('blocked'))
      for (const each of one.awaited === undefined ? [true, false] : [one.awaited]) awaited.add(each)
  }
  const [only] = awaited
  return { statuses: [...statuses], awaited: awaited.size === 1 ? only : undefined }
}
