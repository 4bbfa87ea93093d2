import { firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import type { Unit } from './units.ts'

/** Access levels as numbers. If several apply, the highest counts. */
export const LEVELS = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const

/** A unit, the SQL of one, or the repository as a whole: the level to its code, and `read` for who reads any other unit. */
type Scope = Unit | 'repository' | Fragment

/**
 * The access level (`LEVELS`) of an account to a `repository`, not counting what everyone may do: as owner, as
 * collaborator, through teams that have the repository and this unit (of the whole: any), or as recipient of a transfer offer that holds
 * (which grants read). A team with the permission `admin` has its repositories like an owner, as in the original.
 */
export const levelIn = (sql: Sql, account: Fragment, part: Scope = 'repository') => sql`greatest(
  case when repository.owner_id = ${account} then 4 else 0 end,
  (
    select array_position(array['read', 'write', 'admin'], permission)
    from forge.repository_collaborator
    where repository_id = repository.id and account_id = ${account}
  ),
  (
    select max(array_position(array['none', 'read', 'write', 'admin', 'owner'], ${permissionIn(sql, part)})) - 1
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.organization_id = repository.owner_id and team_member.account_id = ${account}
      and ${hasRepository(sql)}
  ),
  (
    select 1
    from forge.repository_transfer
    where repository_id = repository.id and ${account} in (${recipients(sql)}) and ${offerHolds(sql)}
  )
)`

/** The unit of an `issue`. */
export const unitOfIssue = (sql: Sql) => sql`case when issue.is_pull then 'repo.pulls' else 'repo.issues' end`

/** The permission of a `team` in a unit of its repositories. */
const permissionIn = (sql: Sql, part: Scope) => sql`
  case when team.permission = 'admin' then 'owner' when team.permission = 'owner' or team.units = '{}' then team.permission
    else ${part === 'repository' ? permissionInAny(sql) : sql`coalesce(team.units ->> ${part}, 'none')`} end`

/** That in the code, or `read` if the team has any other unit. */
const permissionInAny = (sql: Sql) => sql`
  coalesce(nullif(team.units ->> 'repo.code', 'none'), case when exists (
    select from jsonb_each_text(team.units) as unit
    where unit.value <> 'none'
  ) then 'read' else 'none' end)`

/** Whether a `team` of the organization that owns a `repository` reads one of its units. */
export const teamReads = (sql: Sql, part: Scope) =>
  sql`(${hasRepository(sql)} and ${permissionIn(sql, part)} <> 'none')`

/**
 * Whether a `repository_transfer` of a `repository` holds: its maker may sign in and could make it again, as an
 * administrator or with the level `owner`. Otherwise the server ignores it.
 */
export const offerHolds = (sql: Sql) => sql`exists (
  select from forge.account as giver
  where giver.id = repository_transfer.doer_id and giver.is_active and not giver.prohibit_login
    and (giver.is_admin or giver.id = repository.owner_id or exists (
      select from forge.team_member
      join forge.team on team.id = team_member.team_id
      where team_member.organization_id = repository.owner_id and team_member.account_id = giver.id
        and team.permission in ('admin', 'owner') and ${hasRepository(sql)}
    ))
)`

/** Whether a `team` of the organization that owns a `repository` has it: because the team has all, or by assignment. */
export const hasRepository = (sql: Sql) => sql`(
  team.includes_all_repositories
  or team.permission = 'owner'
  or exists (
    select from forge.team_repository
    where team_id = team.id and repository_id = repository.id
  )
)`

/**
 * Ids of the accounts that may accept or reject a `repository_transfer`: the recipient itself, or members of an
 * organization who may create repositories there.
 */
export const recipients = (sql: Sql) => sql`
  select repository_transfer.recipient_id
  union all
  select team_member.account_id
  from forge.team_member
  join forge.team on team.id = team_member.team_id
  where team_member.organization_id = repository_transfer.recipient_id
    and (team.permission = 'owner' or team.can_create_repositories)`

/**
 * Whether an `account` may read a unit of a `repository`: because repository and owner are visible to it, or by its
 * access level.
 */
export const mayRead = (sql: Sql, part: Scope) => sql`(
  account.is_admin
  or (not repository.is_private and exists (
    select from forge.account as owner
    where owner.id = repository.owner_id
      and (owner.visibility = 'public' or owner.id = account.id
        or (owner.visibility = 'limited' and not account.is_restricted)
        or exists (
          select from forge.membership
          where organization_id = owner.id and account_id = account.id
        ))
  ))
  or ${levelIn(sql, sql`account.id`, part)} > 0
)`

/** Whether an `account` may read any unit of a `repository`. */
export const mayReadAny = (sql: Sql) => mayRead(sql, 'repository')

/** Whether an account may read the units of a repository that have pages. */
export async function readableUnits(
  sql: Sql,
  { repository, account }: { repository: number; account: number },
) {
  const row = await firstRow(sql<Record<'code' | 'issues' | 'pulls' | 'actions' | 'releases', boolean>[]>`
    select ${mayRead(sql, 'repo.code')} as code, ${mayRead(sql, 'repo.issues')} as issues,
      ${mayRead(sql, 'repo.pulls')} as pulls,
      ${mayRead(sql, 'repo.actions')} as actions, ${mayRead(sql, 'repo.releases')} as releases
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = ${repository}`)
  return row ?? { code: false, issues: false, pulls: false, actions: false, releases: false }
}

/**
 * The access level (a number of `LEVELS`) that `account` has to the packages of the organization in the CTE `subject`
 * of `lookUp`: the highest level of its teams there.
 */
export const packageLevel = (sql: Sql) => sql`
    coalesce((
      select max(array_position(array['none', 'read', 'write', 'admin', 'owner'],
        case when team.permission in ('admin', 'owner') or team.units = '{}' then team.permission
          else coalesce(team.units ->> 'repo.packages', 'none') end)) - 1
      from forge.team_member
      join forge.team on team.id = team_member.team_id
      where team_member.organization_id = (select id from subject) and team_member.account_id = account.id
    ), 0) as package_level,`
