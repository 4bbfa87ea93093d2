import { allRows } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { LEVELS, levelIn } from '../permissions/access-level-store.ts'

/** What the messages of pushed commits may do. */

/**
 * The issues of a repository, of these numbers, that an account may close by a push to a branch: its own ones, and all if it may
 * write to issues; not those that are about another branch.
 */
export const closableIssues = (
  sql: Sql,
  {
    path,
    account,
    branch,
  }: { path: { owner: string; name: string }; account: number; branch: string | null },
  numbers: readonly number[],
) =>
  allRows(sql<{ repository_id: number; owner_id: number; number: number }[]>`
    select issue.repository_id, repository.owner_id, issue.number
    from forge.issue
    join forge.repository on repository.id = issue.repository_id and repository.state = 'ready'
    join forge.account as owner on owner.id = repository.owner_id
    join forge.account on account.id = ${account}
    where lower(owner.name) = lower(${path.owner}) and lower(repository.name) = lower(${path.name})
      and issue.number = any(${[...numbers]}::bigint[]) and not issue.is_pull and issue.closed_at is null
      and not repository.is_archived and coalesce((repository.settings ->> 'has_issues')::boolean, true)
      and (issue.ref = '' or issue.ref = ${branch} or issue.ref = 'refs/heads/' || ${branch}::text)
      and (account.is_admin or issue.poster_id = account.id
        or coalesce(${levelIn(sql, sql`account.id`, 'repo.issues')}, 0) >= ${LEVELS.write})
    order by issue.number`)

/** The ids of the issues of a repository by their numbers, without those that refer to a commit already. */
export const issuesToRefer = (
  tx: Tx,
  { repository, commit }: { repository: number; commit: string },
  numbers: readonly number[],
) =>
  allRows(tx<{ id: number }[]>`
    select id
    from forge.issue
    where repository_id = ${repository} and number = any(${[...numbers]}::bigint[])
      and not exists (
        select
        from forge.issue_event
        where issue_id = issue.id and type = 'commit_ref' and old_text = ${commit}
      )
    order by id`)
