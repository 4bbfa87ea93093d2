import type { Sql } from '../../db/sql.ts'

/**
 * What the account beside it may do with the packages of the organization that is the subject of `lookUp`, as a number
 * of `LEVELS`, through the best of its teams.
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
