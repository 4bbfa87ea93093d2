import type { Paging } from '../../db/page.ts'
import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { pageOfAccounts } from '../accounts/account-page-store.ts'
import { type Account, nameKey } from '../accounts/account-store.ts'
import { seesUser } from '../accounts/user-visibility.ts'
import type { OnRepository } from '../repos/access.ts'
import { LEVELS, levelIn } from '../repos/access-level-store.ts'
import type { Unit } from '../repos/units.ts'

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
  const wanted = [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  if (wanted.length > MAX_ASSIGNEES) throw unprocessable(`an issue has at most ${MAX_ASSIGNEES} assignees`)
  const candidates = await writersNamed(
    sql,
    caller.repo.id,
    wanted.flatMap((name) => nameKey(name) ?? []),
  )
  return wanted.map((name) => {
    const account = candidates.find(({ key }) => key === name)
    if (!account || !(account.writes || seesUser(account, caller)))
      throw unprocessable(`Assignee does not exist: [name: ${name}]`)
    if (!account.writes && !account.is_admin)
      throw unprocessable(`user does not have access to the repository [name: ${name}]`)
    return account.id
  })
}

/** A page of the accounts that can be assigned to issues of a repository, by name. */
export const pageOfAssignable = (sql: Sql, repository: number, paging: Paging) =>
  pageOfMembers(sql, repository, writes(sql), paging)

/** A page of the accounts that may read the code of a repository by a right of their own, by name. */
export const pageOfReviewers = (sql: Sql, repository: number, paging: Paging) =>
  pageOfMembers(sql, repository, sql`${levelIn(sql, sql`account.id`, 'repo.code')} >= ${LEVELS.read}`, paging)

/** A page of the owner, the collaborators and the members of teams of a repository of whom the condition holds. */
const pageOfMembers = (sql: Sql, repository: number, condition: Fragment, paging: Paging) =>
  pageOfAccounts(sql, paging, {
    from: sql`
      from (
        select owner_id as id from forge.repository where id = ${repository}
        union
        select account_id from forge.repository_collaborator where repository_id = ${repository}
        union
        select team_member.account_id
        from forge.repository
        join forge.team_member on team_member.organization_id = repository.owner_id
        where repository.id = ${repository}
      ) as candidate
      join forge.account using (id)
      join forge.repository on repository.id = ${repository}
      where account.kind <> 'organization' and account.is_active and ${condition}`,
    keys: sql`account.id, account.key`,
    by: sql`order by key`,
  })

/** Whether an account can be assigned to issues of the caller's repository, as far as the caller may know. */
export async function isAssignable(sql: Sql, caller: OnRepository, name: string): Promise<boolean> {
  const key = nameKey(name)
  const [account] = key === undefined ? [] : await writersNamed(sql, caller.repo.id, [key])
  return account !== undefined && (account.writes || (account.is_admin && seesUser(account, caller)))
}

/** Whether `account` may write to the issues or the code of `repository` without being a site administrator. */
function writes(sql: Sql): Fragment {
  const level = (part: Unit) => levelIn(sql, sql`account.id`, part)
  return sql`(${level('repo.issues')} >= ${LEVELS.write} or ${level('repo.code')} >= ${LEVELS.write})`
}

interface Candidate extends Pick<Account, 'id' | 'visibility' | 'is_admin'> {
  key: string
  /** Has write access of its own, not as a site administrator. */
  writes: boolean
}

const writersNamed = (sql: Sql, repository: number, keys: readonly string[]) =>
  allRows(sql<Candidate[]>`
    select account.id, account.key, account.visibility, account.is_admin, ${writes(sql)} as writes
    from forge.account
    join forge.repository on repository.id = ${repository}
    where account.key = any(${[...keys]}::text[]) and account.kind <> 'organization'`)
