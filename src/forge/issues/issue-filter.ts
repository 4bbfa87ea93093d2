import type { Sql } from '../../db/sql.ts'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { type Account, accountByName } from '../accounts/account.ts'
import { maySee } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { nextSecond, queryMoment, queryText, queryTrimmed, wholeSecond } from '../protocol/query.ts'
import type { IssueFilter } from './issue-list.ts'

/** Members of queries that every list of issues knows. */
export const issueQuery = {
  state: queryText,
  labels: queryText,
  q: queryTrimmed,
  type: queryText,
  since: queryText,
  before: queryText,
}

interface Given {
  state: string
  labels: string
  q: string
  since: string
  before: string
}

/** State, text and time of a query. @throws Problem 422 */
export function filterOf({ state, q, ...time }: Given): IssueFilter {
  return { state: state === 'closed' || state === 'all' ? state : 'open', q, ...timeOf(time) }
}

/** The moments between which something must have been changed last. @throws Problem 422 */
export function timeOf(given: { since: string; before: string }): Pick<IssueFilter, 'from' | 'until'> {
  const before = queryMoment('before', given.before, unprocessable)
  const since = queryMoment('since', given.since, unprocessable)
  return { from: since && wholeSecond(since), until: before && nextSecond(before) }
}

/** The names in a list with commas. */
export const labelNames = (labels: string) => labels.split(',').filter((name) => name !== '')

/** Ids of the accounts that a query names; undefined where it names nobody. */
interface NamedAccounts {
  poster: number | undefined
  assignee: number | undefined
  mentioned: number | undefined
}

/**
 * Looks up whom `created_by`, `assigned_by` and `mentioned_by` name; "" filters nothing. `isHidden`: the caller may not
 * see the author or the assignee, so that a list without issues must be answered like an unknown name. Issues that are
 * found show both of them anyway. For `mentioned_by`, which is no part of an issue, such an account is always unknown.
 * @throws Problem 404 no such account
 */
export async function namedAccounts(
  sql: Sql,
  { me }: Caller,
  given: { created_by: string; assigned_by: string; mentioned_by: string },
): Promise<{ accounts: NamedAccounts; isHidden: boolean }> {
  const look = async (name: string) => (name === '' ? undefined : found(await accountByName(sql, name)))
  const isSeen = (account: Account | undefined) => !account || maySee(account, { me, is_member: false })
  const poster = await look(given.created_by)
  const assignee = await look(given.assigned_by)
  const mentioned = await look(given.mentioned_by)
  if (!isSeen(mentioned)) throw notFound()
  return {
    accounts: { poster: poster?.id, assignee: assignee?.id, mentioned: mentioned?.id },
    isHidden: !isSeen(poster) || !isSeen(assignee),
  }
}
