import type { Fragment, Sql } from '../db/sql.ts'

/** What permissions are counted as: the better one counts. */
export const LEVELS = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const

/**
 * What an account may do in a `repository`, as a number of `LEVELS`, leaving out what everybody may: as its owner, as a
 * collaborator, or through teams that have all repositories of the organization.
 */
export const levelIn = (sql: Sql, account: Fragment) => sql`greatest(
  case when repository.owner_id = ${account} then 4 else 0 end,
  (
    select array_position(array['read', 'write', 'admin'], permission)
    from forge.repository_collaborator
    where repository_id = repository.id and account_id = ${account}
  ),
  (
    select max(array_position(array['none', 'read', 'write', 'admin', 'owner'],
      case when team.permission in ('admin', 'owner') or team.units = '{}' then team.permission
        else coalesce(team.units ->> 'repo.code', 'none') end)) - 1
    from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.organization_id = repository.owner_id and team_member.account_id = ${account}
      and (team.includes_all_repositories or team.permission = 'owner')
  )
)`
