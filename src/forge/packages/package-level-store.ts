import type { Sql } from '../../db/sql.ts'

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
