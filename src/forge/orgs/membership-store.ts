import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import type { Permission } from '../permissions/units.ts'
import { endUnreadableWatches, endWatchesOfFormerMembers } from '../watching/watch-store.ts'

/** The parts of a team that statements about its members need. */
interface TeamKey {
  id: number
  organization_id: number
}

/** The result of a removal; the last owner of an organization is not removed. */
type Removal = 'removed' | 'none' | 'last owner'

/**
 * Locks the membership of an organization until the transaction ends. Without it two owners who remove each other
 * concurrently would leave none, and an account that is added to one team while it is removed from its last other one
 * would be in a team without being a member. False: the organization no longer exists.
 */
export const lockMembers = (tx: Tx, organization: number) =>
  anyRow(tx`
    select id
    from forge.account
    where id = ${organization} and kind = 'organization'
    for no key update`)

/** Locks the membership of all organizations that an account owns, with or without other owners; returns their ids. */
async function lockMembersOfOwned(tx: Tx, account: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select organization.id
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    join forge.account as organization on organization.id = team.organization_id
    where team_member.account_id = ${account} and team.permission = 'owner'
    order by organization.id
    for no key update of organization`
  return rows.map(({ id }) => id)
}

/**
 * Adds an account to a team, and to the members of the organization. False: it was in the team already. Call
 * `lockMembers` first, unless the organization is new. Violates `membership_account_known` or `team_member_team_known` when
 * the account or team was deleted.
 */
export async function insertTeamMember(tx: Tx, team: TeamKey, account: number): Promise<boolean> {
  const added = await insertMembers(
    tx,
    tx`select ${team.id}::bigint, ${team.organization_id}::bigint, ${account}::bigint`,
  )
  return added > 0
}

/** Adds accounts to the teams of owners of new organizations, as `insertTeamMember` does. */
export async function addToOwners(
  tx: Tx,
  owners: readonly { organization: number; account: number }[],
): Promise<void> {
  await insertMembers(
    tx,
    tx`
      select team.id, organization_id, account_id
      from unnest(
        ${owners.map(({ organization }) => organization)}::bigint[], ${owners.map(({ account }) => account)}::bigint[]
      ) as owner (organization_id, account_id)
      join forge.team using (organization_id)
      where team.permission = 'owner'`,
  )
}

/** Adds `(team_id, organization_id, account_id)` rows; returns how many accounts were not in their team before. */
async function insertMembers(tx: Tx, members: Fragment): Promise<number> {
  const { count } = await tx`
    with input (team_id, organization_id, account_id) as (${members}),
    membership as (
      insert into forge.membership (organization_id, account_id)
      select organization_id, account_id
      from input
      on conflict on constraint membership_pkey do nothing
    )
    insert into forge.team_member (team_id, organization_id, account_id)
    select team_id, organization_id, account_id
    from input
    on conflict on constraint team_member_pkey do nothing`
  return count
}

/** Removes an account from a team, and from the organization if it is in no other team. Call `lockMembers` first. */
export async function removeFromTeam(
  tx: Tx,
  team: TeamKey & { permission: string },
  account: number,
): Promise<Removal> {
  if (team.permission === 'owner' && (await isLastOwner(tx, team.organization_id, account)))
    return 'last owner'
  const { count } = await tx`
    delete from forge.team_member
    where team_id = ${team.id} and account_id = ${account}`
  if (count === 0) return 'none'
  await deleteTeamless(tx, team.organization_id, [account])
  await endUnreadableWatches(tx, { owner: team.organization_id, accounts: [account] })
  return 'removed'
}

/** Removes an account from all teams of an organization. Call `lockMembers` first. */
export async function removeFromOrganization(
  tx: Tx,
  organization: number,
  account: number,
): Promise<Removal> {
  if (await isLastOwner(tx, organization, account)) return 'last owner'
  const { count } = await tx`
    delete from forge.membership
    where organization_id = ${organization} and account_id = ${account}`
  if (count === 0) return 'none'
  await endWatchesOfFormerMembers(tx, organization, [account])
  return 'removed'
}

/** Removes all members from a team that is not the owners team. Call `lockMembers` first. */
export async function removeAllFromTeam(tx: Tx, team: TeamKey): Promise<void> {
  const removed = await tx<{ account_id: number }[]>`
    delete from forge.team_member
    where team_id = ${team.id}
    returning account_id`
  const accounts = removed.map(({ account_id }) => account_id)
  await deleteTeamless(tx, team.organization_id, accounts)
  await endUnreadableWatches(tx, { owner: team.organization_id, accounts })
}

/** Makes a membership public or private. False: there is none. */
export const updateMembership = (tx: Tx, organization: number, account: number, isPublic: boolean) =>
  anyRow(tx`
    update forge.membership
    set is_public = ${isPublic}
    where organization_id = ${organization} and account_id = ${account}`)

/** The membership of an account; undefined if it is not a member. */
export const membershipOf = (sql: Sql, organization: number, account: number) =>
  firstRow(sql<{ is_public: boolean }[]>`
    select is_public
    from forge.membership
    where organization_id = ${organization} and account_id = ${account}`)

/** Whether an account is in the team of owners. */
export const ownsOrganization = (sql: Sql, organization: number, account: number) =>
  anyRow(sql`
    select team.id
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.organization_id = ${organization} and team_member.account_id = ${account}
      and team.permission = 'owner'`)

export const isInTeam = (sql: Sql, team: number, account: number) =>
  anyRow(sql`
    select team_id
    from forge.team_member
    where team_id = ${team} and account_id = ${account}`)

async function isLastOwner(tx: Tx, organization: number, account: number): Promise<boolean> {
  const { owns, others_own } = await onlyRow(tx<[{ owns: boolean; others_own: boolean }]>`
    with owner as (
      select account_id
      from forge.team_member
      join forge.team on team.id = team_member.team_id
      where team.organization_id = ${organization} and team.permission = 'owner'
    )
    select exists (select from owner where account_id = ${account}) as owns,
      exists (select from owner where account_id <> ${account}) as others_own`)
  return owns && !others_own
}

/** Deletes the memberships of those accounts that are in no team, and their watches. */
async function deleteTeamless(tx: Tx, organization: number, accounts: readonly number[]): Promise<void> {
  await tx`
    delete from forge.membership
    where organization_id = ${organization} and account_id = any(${[...accounts]}::bigint[])
      and not exists (
        select
        from forge.team_member
        where team_member.organization_id = membership.organization_id
          and team_member.account_id = membership.account_id
      )`
  await endWatchesOfFormerMembers(tx, organization, accounts)
}

/**
 * The organizations that have no owner but this account. Locks the members first, so that the set of owners cannot change
 * while it is checked.
 */
export async function lockOwnedAlone(tx: Tx, user: number): Promise<{ id: number; name: string }[]> {
  const owned = await lockMembersOfOwned(tx, user)
  return allRows(tx<{ id: number; name: string }[]>`
    select account.id, account.name
    from forge.team
    join forge.account on account.id = team.organization_id
    where team.organization_id = any(${owned}::bigint[]) and team.permission = 'owner'
      and not exists (
        select from forge.team_member
        where team_id = team.id and account_id <> ${user}
      )
    order by account.key`)
}

/** At most `limit` names of organizations that an account is a member of. */
export async function organizationNamesOf(sql: Sql, account: number, limit: number): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select account.name
    from forge.membership
    join forge.account on account.id = membership.organization_id
    where membership.account_id = ${account}
    order by account.key
    limit ${limit}`
  return rows.map(({ name }) => name)
}

/** The permissions of an account in an organization, by its teams. */
export const permissionsOfTeams = (sql: Sql, organization: number, account: number) =>
  allRows(sql<{ permission: Permission; can_create_repositories: boolean }[]>`
    select team.permission, team.can_create_repositories
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.account_id = ${account} and team_member.organization_id = ${organization}`)
