import type { Paging } from '../../db/page.ts'
import { allRows, anyRow, firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { pageOfAccountsIn } from '../accounts/account-page-store.ts'
import { LEVELS, levelIn, mayRead } from '../permissions/access-level-store.ts'

/** The permissions of collaborators. */
export const COLLABORATOR_PERMISSIONS = ['read', 'write', 'admin'] as const
type CollaboratorPermission = (typeof COLLABORATOR_PERMISSIONS)[number]

/**
 * Adds a collaborator or replaces the permission. False if it is unchanged. Violates
 * `repository_collaborator_account_known` or `repository_collaborator_repository_known` when the account or repository
 * was deleted.
 */
export const putCollaborator = (
  tx: Tx,
  repository: number,
  account: number,
  permission: CollaboratorPermission,
) =>
  anyRow(tx`
    insert into forge.repository_collaborator as collaborator (repository_id, account_id, permission)
    values (${repository}, ${account}, ${permission})
    on conflict on constraint repository_collaborator_pkey do update
      set permission = excluded.permission
      where collaborator.permission <> excluded.permission`)

/** False if the account was not a collaborator. */
export const deleteCollaborator = (tx: Tx, repository: number, account: number) =>
  anyRow(tx`
    delete from forge.repository_collaborator
    where repository_id = ${repository} and account_id = ${account}`)

export const isCollaborator = (sql: Sql, repository: number, account: number) =>
  anyRow(sql`
    select account_id
    from forge.repository_collaborator
    where repository_id = ${repository} and account_id = ${account}`)

/** Whether an account has access to a repository as owner, as collaborator, or through a team. */
export const sharesRepository = (sql: Sql, repository: number, account: number) =>
  anyRow(sql`
    select repository.id
    from forge.repository
    where repository.id = ${repository} and ${levelIn(sql, sql`${account}::bigint`)} > 0`)

/** Collaborators of a repository by id. */
export const pageOfCollaborators = (sql: Sql, repository: number, paging: Paging) =>
  pageOfAccountsIn(sql, sql`forge.repository_collaborator where repository_id = ${repository}`, paging)

/** The permissions of some collaborators of a repository, by their ids. */
export async function permissionsOf(
  sql: Sql,
  repository: number,
  accounts: readonly number[],
): Promise<ReadonlyMap<number, CollaboratorPermission>> {
  const rows = await allRows(sql<{ account_id: number; permission: CollaboratorPermission }[]>`
    select account_id, permission
    from forge.repository_collaborator
    where repository_id = ${repository} and account_id = any(${accounts}::bigint[])`)
  return new Map(rows.map(({ account_id, permission }) => [account_id, permission]))
}

/** The effective access level (`LEVELS`) of an account to a repository. */
export async function levelOfAccount(sql: Sql, repository: number, account: number): Promise<number> {
  const row = await firstRow(sql<{ level: number }[]>`
    select case when account.is_admin then ${LEVELS.owner}::bigint
      else greatest(${levelIn(sql, sql`account.id`)},
        case when ${mayRead(sql, 'repo.code')} then ${LEVELS.read}::bigint else 0 end) end as level
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = ${repository} and repository.state = 'ready'`)
  return row?.level ?? LEVELS.none
}
