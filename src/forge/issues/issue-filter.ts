import type { Sql } from '../../db/sql.ts'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { type Account, accountByName } from '../accounts/account-store.ts'
import { maySee } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import {
  nextSecond,
  queryMoment,
  queryText,
  queryTime,
  queryTrimmed,
  queryWord,
  wholeSecond,
} from '../protocol/query.ts'
import type { IssueFilter } from './issue-conditions-store.ts'

/** Query parameters that all issue lists share. */
export const issueQuery = {
  state: queryWord('open', 'closed', 'all'),
  labels: queryText,
  milestones: queryText,
  q: queryTrimmed,
  type: queryWord('issues', 'pulls'),
  since: queryTime,
  before: queryTime,
}

interface IssueQuery {
  state: 'open' | 'closed' | 'all' | ''
  type?: 'issues' | 'pulls' | ''
  labels: string
  q: string
  since: string
  before: string
}

/** The filter by state, kind, text and time of a query. @throws Problem 422 */
export function filterOf({ state, type = '', q, ...time }: IssueQuery): IssueFilter {
  const isPull = type === 'pulls' ? true : type === 'issues' ? false : undefined
  return { state: state || 'open', isPull, q, ...timeOf(time) }
}

/** The time range of the last change, from `since` and `before`. @throws Problem 422 */
export function timeOf(query: { since: string; before: string }): Pick<IssueFilter, 'from' | 'until'> {
  const before = queryMoment('before', query.before, unprocessable)
  const since = queryMoment('since', query.since, unprocessable)
  return { from: since && wholeSecond(since), until: before && nextSecond(before) }
}

/** The names in a comma-separated list. */
export const labelNames = (labels: string) => labels.split(',').filter((name) => name !== '')

/** Ids of the accounts that a query names; undefined where it names none. */
interface NamedAccounts {
  poster: number | undefined
  assignee: number | undefined
  mentioned: number | undefined
}

/**
 * Looks up the accounts in `created_by`, `assigned_by` and `mentioned_by`; "" does not filter. `isHidden`: the caller
 * may not see the author or the assignee, so an empty result must be answered like an unknown name; issues in the
 * result show both of them anyway. `mentioned_by` is not part of an issue, so an account that the caller may not see is
 * always answered like an unknown one.
 * @throws Problem 404 no such account
 */
export async function namedAccounts(
  sql: Sql,
  { me }: Caller,
  query: { created_by: string; assigned_by: string; mentioned_by: string },
): Promise<{ accounts: NamedAccounts; isHidden: boolean }> {
  const lookUp = async (name: string) => (name === '' ? undefined : found(await accountByName(sql, name)))
  const isVisible = (account: Account | undefined) => !account || maySee(account, { me, is_member: false })
  const poster = await lookUp(query.created_by)
  const assignee = await lookUp(query.assigned_by)
  const mentioned = await lookUp(query.mentioned_by)
  if (!isVisible(mentioned)) throw notFound()
  return {
    accounts: { poster: poster?.id, assignee: assignee?.id, mentioned: mentioned?.id },
    isHidden: !isVisible(poster) || !isVisible(assignee),
  }
}
