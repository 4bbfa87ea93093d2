import type { Fragment, Sql } from '../../db/sql.ts'
import type { Unit } from './units.ts'

/** What permissions are counted as: the better one counts. */
export const LEVELS = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const

/**
 * What an account may do in a `repository`, as a number of `LEVELS`, leaving out what everybody may: as its owner, as a
 * collaborator, through teams that have the repository and this part of it, or because it is offered to the account (then
 * it may be looked at).
 */
export const levelIn = (sql: Sql, account: Fragment, part: Unit = 'repo.code') => sql`greatest(
  case when repository.owner_id = ${account} then 4 else 0 end,
  (
    select array_position(array['read', 'write', 'admin'], permission)
    from forge.repository_collaborator
    where repository_id = repository.id and account_id = ${account}
  ),
  (
    select max(array_position(array['none', 'read', 'write', 'admin', 'owner'],
      case when team.permission in ('admin', 'owner') or team.units = '{}' then team.permission
        else coalesce(team.units ->> ${part}, 'none') end)) - 1
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.organization_id = repository.owner_id and team_member.account_id = ${account}
      and ${hasRepository(sql)}
  ),
  (
    select 1
    from forge.repository_transfer
    where repository_id = repository.id and ${account} in (${recipients(sql)})
  )
)`

/** Whether a `team` of the organization that owns a `repository` has it: as one of all, or by itself. */
export const hasRepository = (sql: Sql) => sql`(
  team.includes_all_repositories
  or team.permission = 'owner'
  or exists (
    select from forge.team_repository
    where team_id = team.id and repository_id = repository.id
  )
)`

/** Ids of those who may say yes or no to a `repository_transfer`: the account itself, or who creates for it. */
export const recipients = (sql: Sql) => sql`
  select repository_transfer.recipient_id
  union all
  select team_member.account_id
  from forge.team_member
  join forge.team on team.id = team_member.team_id
  where team_member.organization_id = repository_transfer.recipient_id
    and (team.permission = 'owner' or team.can_create_repositories)`

/** Whether an `account` may read a part of a `repository`: what is public with the owner's visibility, or by name. */
export const mayRead = (sql: Sql, part: Unit) => sql`(
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
