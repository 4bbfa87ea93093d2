import type { Pool } from '../../../src/db/sql.ts'
import { onDatabase, type Place } from './fill.ts'
import { withoutSearchIndexes } from './users.ts'

/**
 * Gives a repository so many pull requests more that propose the commit of its first one, and as many issues after them, nine
 * in ten of them closed. The branches of these pull requests exist in the database alone.
 */
export const fillPulls = (place: Place, repository: string, amount: number): Promise<void> =>
  onDatabase(place, async (pool) => {
    await withoutSearchIndexes(pool, () => insertRows(pool, repository, amount))
    // A PostgreSQL server does this by itself after a while.
    await pool`vacuum analyze`
  })

const insertRows = (pool: Pool, repository: string, amount: number) =>
  pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    // Row by row they would be most of the time; the totals that they keep follow.
    await tx`alter table forge.issue disable trigger user`
    await tx`
      insert into forge.issue (repository_id, number, poster_id, title, body, created_at, updated_at, closed_at, is_pull)
      select repository.id, repository.last_issue + n, owner_id, 'Change ' || n, 'Why it is made.', moment, moment,
        case when n % 10 <> 0 then moment end, n <= ${amount}
      from forge.repository, generate_series(1, ${2 * amount}::bigint) as n,
        lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) as made
      where repository.key = ${repository}`
    await tx`
      insert into forge.pull_request
        (issue_id, repository_id, head_repository_id, head_branch, base_branch, head_commit, merge_base, is_open)
      select issue.id, issue.repository_id, issue.repository_id, 'change-' || issue.number, base_branch, head_commit,
        merge_base, issue.closed_at is null
      from forge.issue
      join forge.repository on repository.id = issue.repository_id and repository.key = ${repository}
      join lateral (
        select base_branch, head_commit, merge_base
        from forge.pull_request
        where repository_id = issue.repository_id
        order by issue_id
        limit 1
      ) as first on true
      where issue.is_pull and not exists (select from forge.pull_request where issue_id = issue.id)`
    await tx`
      update forge.repository
      set last_issue = last_issue + ${2 * amount}, open_issues = open_issues + ${amount / 10},
        open_pulls = open_pulls + ${amount / 10}
      where key = ${repository}`
    await tx`alter table forge.issue enable trigger user`
  })
