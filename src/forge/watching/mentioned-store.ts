import type { Fragment, Sql } from '../../db/sql.ts'
import { teamReads } from '../permissions/access-level-store.ts'

/**
 * A statement for the ids of the accounts that names in lower case mean. `organization/team` means the members of a team
 * of the organization that owns the repository, if the team reads its issues or pull requests.
 */
export function mentionedAccounts(sql: Sql, names: readonly string[], repository: Fragment): Fragment {
  const teams = names.filter((name) => name.includes('/'))
  const people = sql`
    select id
    from forge.account
    where key = any(${names.filter((name) => !name.includes('/'))}::text[])`
  if (teams.length === 0) return people
  return sql`
    ${people}
    union
    select team_member.account_id
    from forge.repository
    join forge.account as organization on organization.id = repository.owner_id
    join forge.team on team.organization_id = organization.id
    join forge.team_member on team_member.team_id = team.id
    where repository.id = ${repository} and organization.key || '/' || team.key = any(${teams}::text[])
      and (${teamReads(sql, 'repo.issues')} or ${teamReads(sql, 'repo.pulls')})`
}
