import type { Sql } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account-store.ts'
import { seesUser } from '../auth/user-visibility.ts'
import type { OnRepository } from '../repos/access.ts'
import { type Candidate, writersNamed } from './assignee-store.ts'

/** Maximum number of assignees of an issue. */
const MAX_ASSIGNEES = 100

/**
 * The ids of the accounts that a request names as assignees, in the order of the names, without duplicates. An assignee
 * must be able to write to the issues or the code of the repository. A user whom the caller may not see counts as
 * unknown, unless the user is in the list that the caller could choose from (`pageOfAssignable`).
 * @throws Problem 422 unknown user, or a user without write access
 */
export async function assigneesNamed(
  sql: Sql,
  caller: OnRepository,
  names: readonly string[],
): Promise<number[]> {
  const named = await candidatesNamed(sql, caller, names, [])
  const barred = named.find(({ writes, is_admin }) => !writes && !is_admin)
  if (barred) throw unprocessable(`user does not have access to the repository [name: ${barred.key}]`)
  return named.map(({ id }) => id)
}

/**
 * The ids of the accounts that a request removes from the assignees. `assigned` are the present ones: each is shown with the
 * issue and can be named, also without access to the repository.
 * @throws Problem 422 unknown user
 */
export async function formerAssigneesNamed(
  sql: Sql,
  caller: OnRepository,
  names: readonly string[],
  assigned: readonly number[],
): Promise<number[]> {
  return (await candidatesNamed(sql, caller, names, assigned)).map(({ id }) => id)
}

/** @throws Problem 422 more assignees than an issue may have */
export function requireFew(assignees: readonly unknown[]): void {
  if (assignees.length > MAX_ASSIGNEES) throw unprocessable(`an issue has at most ${MAX_ASSIGNEES} assignees`)
}

/** The accounts with these names, in their order, without duplicates. @throws Problem 422 unknown user */
async function candidatesNamed(
  sql: Sql,
  caller: OnRepository,
  names: readonly string[],
  assigned: readonly number[],
): Promise<Candidate[]> {
  const unique = [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))]
  if (unique.length === 0) return []
  requireFew(unique)
  const keys = unique.flatMap((name) => nameKey(name) ?? [])
  const candidates = await writersNamed(sql, caller.repo.id, keys)
  return unique.map((name) => {
    const account = candidates.find(({ key }) => key === name)
    if (account && (assigned.includes(account.id) || account.writes || seesUser(account, caller)))
      return account
    throw unprocessable(`Assignee does not exist: [name: ${name}]`)
  })
}

/** Whether an account can be assigned to issues of the caller's repository, as far as the caller may know. */
export async function isAssignable(sql: Sql, caller: OnRepository, name: string): Promise<boolean> {
  const key = nameKey(name)
  const [account] = key === undefined ? [] : await writersNamed(sql, caller.repo.id, [key])
  return account !== undefined && (account.writes || (account.is_admin && seesUser(account, caller)))
}
