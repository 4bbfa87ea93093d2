import type { Paging } from '../../db/page.ts'
import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { pageOfAccounts } from '../accounts/account-page-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { LEVELS, levelIn } from '../permissions/access-level-store.ts'
import type { Unit } from '../permissions/units.ts'

/** A page of the accounts that can be assigned to issues of a repository, by name. */
export const pageOfAssignable = (sql: Sql, repository: number, paging: Paging) =>
  pageOfMembers(sql, repository, writes(sql), paging)

/** A page of the accounts that may read the pull requests of a repository and not only because it is public, by name. */
export const pageOfReviewers = (sql: Sql, repository: number, paging: Paging) =>
  pageOfMembers(
    sql,
    repository,
    sql`${levelIn(sql, sql`account.id`, 'repo.pulls')} >= ${LEVELS.read}`,
    paging,
  )

/** A page of the owner, the collaborators and the members of teams of a repository that match the condition. */
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

/** Whether `account` may write to the issues or the code of `repository` without being a site administrator. */
function writes(sql: Sql): Fragment {
  const level = (part: Unit) => levelIn(sql, sql`account.id`, part)
  return sql`(${level('repo.issues')} >= ${LEVELS.write} or ${level('repo.code')} >= ${LEVELS.write})`
}

export interface Candidate extends Pick<Account, 'id' | 'visibility' | 'is_admin'> {
  key: string
  /** Has write access of its own, not as a site administrator. */
  writes: boolean
}

export const writersNamed = (sql: Sql, repository: number, keys: readonly string[]) =>
  allRows(sql<Candidate[]>`
    select account.id, account.key, account.visibility, account.is_admin, ${writes(sql)} as writes
    from forge.account
    join forge.repository on repository.id = ${repository}
    where account.key = any(${[...keys]}::text[]) and account.kind <> 'organization'`)
