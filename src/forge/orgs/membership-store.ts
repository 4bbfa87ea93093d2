import type { Sql, Tx } from '../../db/sql.ts'

/** A team as its members refer to it. */
interface TeamKey {
  id: number
  organization_id: number
}

/** What became of a removal: whoever owns an organization alone stays. */
type Removal = 'removed' | 'none' | 'last owner'

/**
 * Takes the place of the one who may change who is in an organization; held until the transaction ends. Two owners
 * who remove each other at once would leave none, and who is put into a team while the last other one is taken away
 * would be in it without being a member. False: there is no such organization any more.
 */
export async function lockMembers(tx: Tx, organization: number): Promise<boolean> {
  const rows = await tx`
    select id
    from forge.account
    where id = ${organization} and kind = 'organization'
    for no key update`
  return rows.length > 0
}

/** The same for all organizations that somebody owns, alone or not; gives their ids. */
export async function lockMembersOfOwned(tx: Tx, account: number): Promise<number[]> {
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
 * Puts somebody into a team, and makes a member of the organization of who was none. False: was in the team already.
 * Call `lockMembers` first, unless the organization is new. Refused by `membership_account_known` and
 * `team_member_team_known` when one of them has gone.
 */
export async function insertTeamMember(tx: Tx, team: TeamKey, account: number): Promise<boolean> {
  await tx`
    insert into forge.membership (organization_id, account_id)
    values (${team.organization_id}, ${account})
    on conflict on constraint membership_pkey do nothing`
  const { count } = await tx`
    insert into forge.team_member (team_id, organization_id, account_id)
    values (${team.id}, ${team.organization_id}, ${account})
    on conflict on constraint team_member_pkey do nothing`
  return count > 0
}

/** Takes somebody out of a team; who is in no other is no member any more. Call `lockMembers` first. */
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
  return 'removed'
}

/** Takes somebody out of all teams of an organization. Call `lockMembers` first. */
export async function removeFromOrganization(
  tx: Tx,
  organization: number,
  account: number,
): Promise<Removal> {
  if (await isLastOwner(tx, organization, account)) return 'last owner'
  const { count } = await tx`
    delete from forge.membership
    where organization_id = ${organization} and account_id = ${account}`
  return count > 0 ? 'removed' : 'none'
}

/** Empties a team that is not that of the owners. Call `lockMembers` first. */
export async function removeAllFromTeam(tx: Tx, team: TeamKey): Promise<void> {
  const gone = await tx<{ account_id: number }[]>`
    delete from forge.team_member
    where team_id = ${team.id}
    returning account_id`
  await deleteTeamless(
    tx,
    team.organization_id,
    gone.map(({ account_id }) => account_id),
  )
}

/** Shows or hides a membership. False: there is none. */
export async function updateMembership(
  tx: Tx,
  organization: number,
  account: number,
  isPublic: boolean,
): Promise<boolean> {
  const { count } = await tx`
    update forge.membership
    set is_public = ${isPublic}
    where organization_id = ${organization} and account_id = ${account}`
  return count > 0
}

/** The membership of an account, or undefined where it is no member. */
export async function membershipOf(
  sql: Sql,
  organization: number,
  account: number,
): Promise<{ is_public: boolean } | undefined> {
  const [membership] = await sql<{ is_public: boolean }[]>`
    select is_public
    from forge.membership
    where organization_id = ${organization} and account_id = ${account}`
  return membership
}

export async function isInTeam(sql: Sql, team: number, account: number): Promise<boolean> {
  const rows = await sql`
    select team_id
    from forge.team_member
    where team_id = ${team} and account_id = ${account}`
  return rows.length > 0
}

async function isLastOwner(tx: Tx, organization: number, account: number): Promise<boolean> {
  const [row] = await tx<[{ owns: boolean; others_own: boolean }]>`
    with owner as (
      select account_id
      from forge.team_member
      join forge.team on team.id = team_member.team_id
      where team.organization_id = ${organization} and team.permission = 'owner'
    )
    select exists (select from owner where account_id = ${account}) as owns,
      exists (select from owner where account_id <> ${account}) as others_own`
  return row.owns && !row.others_own
}

/** Ends the membership of those who are in no team. */
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
}
