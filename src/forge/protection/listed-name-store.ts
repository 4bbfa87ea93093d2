import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { nameKey } from '../accounts/account-store.ts'
import type { Visibility } from '../accounts/visibility.ts'
import { levelIn, teamReads } from '../permissions/access-level-store.ts'

/** Users by their names, with their access to the code of a repository. */
export const usersNamed = (sql: Sql, repository: number, names: readonly string[]) =>
  allRows(sql<{ id: number; key: string; visibility: Visibility; level: number }[]>`
    select account.id, account.key, account.visibility, ${levelIn(sql, sql`account.id`, 'repo.code')} as level
    from forge.repository
    join forge.account on account.key = any(${names.flatMap((name) => nameKey(name) ?? [])}::text[])
    where repository.id = ${repository} and account.kind <> 'organization'`)

/** Teams of a repository's organization by their names, and whether they read its code. */
export const teamsNamed = (sql: Sql, repository: number, names: readonly string[]) =>
  allRows(sql<{ id: number; key: string; visibility: Visibility; reads: boolean }[]>`
    select team.id, team.key, team.visibility, ${teamReads(sql, 'repo.code')} as reads
    from forge.repository
    join forge.team on team.organization_id = repository.owner_id
      and team.key = any(${names.map((name) => name.toLowerCase())}::text[])
    where repository.id = ${repository}`)
