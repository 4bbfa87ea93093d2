import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { type Account, accountsByIds } from '../accounts/account-store.ts'
import { mayRead, mayReadAny } from '../permissions/access-level-store.ts'
import { type Repository, repositoryColumns } from '../repos/repo-store.ts'

/** A repository with its owner, and whether the reader may read its issues and pull requests, too. */
export interface ReadableRepository {
  row: Repository
  owner: Account
  readsIssues: boolean
  readsPulls: boolean
}

/** The repositories among these ids of which an account may read code, issues or pull requests, by id, with their owners. */
export async function readableRepositories(
  sql: Sql,
  account: number,
  ids: readonly number[],
): Promise<Map<number, ReadableRepository>> {
  const rows = await allRows(sql<(Repository & { reads_issues: boolean; reads_pulls: boolean })[]>`
    select ${repositoryColumns(sql)},
      coalesce((repository.settings ->> 'has_issues')::boolean, true) and ${mayRead(sql, 'repo.issues')} as reads_issues,
      coalesce((repository.settings ->> 'has_pull_requests')::boolean, true)
        and ${mayRead(sql, 'repo.pulls')} as reads_pulls
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = any(${[...ids]}::bigint[]) and repository.state = 'ready'
      and ${mayReadAny(sql)}`)
  const owners = await accountsByIds(sql, [...new Set(rows.map(({ owner_id }) => owner_id))])
  const byId = new Map(owners.map((owner) => [owner.id, owner]))
  return new Map(
    rows.flatMap((row) => {
      const owner = byId.get(row.owner_id)
      return owner
        ? [[row.id, { row, owner, readsIssues: row.reads_issues, readsPulls: row.reads_pulls }] as const]
        : []
    }),
  )
}
