import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { type Account, nameKey } from '../accounts/account.ts'
import { pageOfAccounts } from '../accounts/account-page.ts'
import { seesUser } from '../accounts/user-visibility.ts'
import type { OnRepository } from '../repos/access.ts'
import { LEVELS, levelIn } from '../repos/access-level.ts'
import type { Unit } from '../repos/units.ts'

/** Accounts of an issue at most: more than can care for one. */
const MOST_ASSIGNEES = 100

/**
 * The ids of those who are to care for an issue, in the order of their names in the request, each once. Whoever may
 * write to the issues or the code of the repository can. A user whom the caller may not see counts as unknown, unless
 * it is among those that the caller could choose from (`pageOfAssignable`).
 * @throws Problem 422 unknown, or may not
 */
export async function assigneesNamed(
  sql: Sql,
  caller: OnRepository,
  names: readonly string[],
): Promise<number[]> {
  const wanted = [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  if (wanted.length > MOST_ASSIGNEES) throw unprocessable(`an issue has at most ${MOST_ASSIGNEES} assignees`)
  const found = await writersNamed(
    sql,
    caller.repo.id,
    wanted.flatMap((name) => nameKey(name) ?? []),
  )
  return wanted.map((name) => {
    const account = found.find(({ key }) => key === name)
    if (!account || !(account.writes || seesUser(account, caller)))
      throw unprocessable(`Assignee does not exist: [name: ${name}]`)
    if (!account.writes && !account.is_admin)
      throw unprocessable(`user does not have access to the repository [name: ${name}]`)
    return account.id
  })
}

/** A page of those who can care for issues of a repository, by name. */
export function pageOfAssignable(sql: Sql, repository: number, paging: Paging): Promise<Page<Account>> {
  const those = sql`
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
    where account.kind <> 'organization' and account.is_active and ${writes(sql)}`
  const page = sql`
    select account.id ${those} order by account.key limit ${paging.limit} offset ${offsetOf(paging)}`
  const total = sql`(select count(*)::bigint ${those})`
  return pageOfAccounts(sql, { page, total, by: sql`order by key` }, paging)
}

/** Whether an `account` may write to the issues or the code of a `repository`, other than as an administrator. */
function writes(sql: Sql): Fragment {
  const level = (part: Unit) => levelIn(sql, sql`account.id`, part)
  return sql`(${level('repo.issues')} >= ${LEVELS.write} or ${level('repo.code')} >= ${LEVELS.write})`
}

interface Candidate extends Pick<Account, 'id' | 'visibility' | 'is_admin'> {
  key: string
  /** May write by itself, not as an administrator of the site. */
  writes: boolean
}

async function writersNamed(sql: Sql, repository: number, keys: readonly string[]): Promise<Candidate[]> {
  return await sql<Candidate[]>`
    select account.id, account.key, account.visibility, account.is_admin, ${writes(sql)} as writes
    from forge.account
    join forge.repository on repository.id = ${repository}
    where account.key = any(${[...keys]}::text[]) and account.kind <> 'organization'`
}
