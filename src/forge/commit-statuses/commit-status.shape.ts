import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { moment, printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { Repository } from '../repos/repo.shape.ts'
import { COMMIT_STATES, type CommitState, type StoredStatus } from './commit-status-store.ts'

const COMBINED_STATES = ['failure', 'pending', 'success'] as const

/** The status of a commit in one context. */
export const CommitStatus = shape('CommitStatus', {
  id: int,
  status: v.picklist(COMMIT_STATES),
  target_url: described(v.string(), 'Address of the report; empty: none'),
  description: v.string(),
  url: v.string(),
  context: described(v.string(), 'Who reports; the newest status of each context counts'),
  creator: described(v.nullable(User), 'Null where that account was deleted'),
  created_at: moment,
  updated_at: moment,
})
export type CommitStatus = v.InferOutput<typeof CommitStatus>

/** The combined status of a commit. */
export const CombinedStatus = shape('CombinedStatus', {
  state: described(
    v.picklist(COMBINED_STATES),
    '`failure` if any of `statuses` is `error`, `failure` or `warning`; `pending` if any is or there are none; else `success`',
  ),
  sha: v.string(),
  total_count: described(int, 'Number of contexts'),
  statuses: described(v.array(CommitStatus), 'The newest status of each context, a page of them'),
  repository: Repository,
  commit_url: v.string(),
  url: v.string(),
})

/** A status as the API prints it. `api`: URL of the repository in the API. */
export function printStatus(
  row: StoredStatus,
  creator: Account | undefined,
  { viewer, host, api }: { viewer: Viewer; host: string; api: string },
): CommitStatus {
  return {
    id: row.id,
    status: row.state,
    target_url: row.target_url,
    description: row.description,
    url: `${api}/statuses/${row.commit_sha}`,
    context: row.context,
    creator: creator ? printUser(creator, viewer, host) : null,
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
  }
}

/** What a state of one context means for the commit. */
const MEANS = {
  error: 'failure',
  failure: 'failure',
  warning: 'failure',
  pending: 'pending',
  success: 'success',
  skipped: 'success',
} as const

/** The combined state of several contexts: the first of these that any of them means; `pending` without any. */
export function combine(states: readonly CommitState[]): (typeof COMBINED_STATES)[number] {
  const meanings = states.map((each) => MEANS[each])
  return COMBINED_STATES.find((each) => meanings.includes(each)) ?? 'pending'
}
