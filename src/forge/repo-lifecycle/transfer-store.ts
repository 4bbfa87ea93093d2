import { allRows, anyRow, firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { offerHolds, recipients } from '../permissions/access-level-store.ts'

/** An open offer of a repository to an account. */
interface Transfer {
  repository_id: number
  recipient_id: number
  team_ids: number[]
  /** Whether the requesting account may accept or reject it. */
  is_recipient: boolean
}

/** Offers a repository. Violates `repository_transfer_pkey` while another offer holds. */
export async function insertTransfer(
  tx: Tx,
  draft: { repository: number; recipient: number; actor: number; teams: readonly number[] },
): Promise<void> {
  await tx`
    delete from forge.repository_transfer
    using forge.repository
    where repository.id = ${draft.repository} and repository_id = repository.id and not ${offerHolds(tx)}`
  await tx`
    insert into forge.repository_transfer (repository_id, recipient_id, doer_id, team_ids, created_at)
    values (${draft.repository}, ${draft.recipient}, ${draft.actor}, ${[...draft.teams]}::bigint[], ${tx.now})`
}

/** The offer of a repository that holds, and whether `account` may accept it; undefined when there is none. */
export const transferOf = (sql: Sql, repository: number, account: number) =>
  firstRow(sql<Transfer[]>`
    select repository_id, recipient_id, team_ids, ${account}::bigint in (${recipients(sql)}) as is_recipient
    from forge.repository_transfer
    join forge.repository on repository.id = repository_id
    where repository_id = ${repository} and ${offerHolds(sql)}`)

export async function deleteTransfer(tx: Tx, repository: number): Promise<void> {
  await tx`
    delete from forge.repository_transfer
    where repository_id = ${repository}`
}

/** Whether an account may create repositories in an organization directly: as an owner, or through a team. */
export const createsIn = (sql: Sql, organization: number, account: number) =>
  anyRow(sql`
    select team.id
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.organization_id = ${organization} and team_member.account_id = ${account}
      and (team.permission = 'owner' or team.can_create_repositories)
    limit 1`)

/** The names of the organizations in which an account may create repositories, in their order; at most `limit`. */
export async function organizationsToCreateIn(sql: Sql, account: number, limit: number): Promise<string[]> {
  const rows = await allRows(sql<{ name: string }[]>`
    select name
    from forge.account
    where id in (
      select team_member.organization_id
      from forge.team_member
      join forge.team on team.id = team_member.team_id
      where team_member.account_id = ${account} and (team.permission = 'owner' or team.can_create_repositories)
    )
    order by lower(name)
    limit ${limit}`)
  return rows.map(({ name }) => name)
}

/** Those of the ids that are teams of an organization. */
export async function teamsAmong(sql: Sql, organization: number, ids: readonly number[]): Promise<number[]> {
  const rows = await allRows(sql<{ id: number }[]>`
    select id
    from forge.team
    where organization_id = ${organization} and id = any(${[...ids]}::bigint[])
    order by id`)
  return rows.map(({ id }) => id)
}
