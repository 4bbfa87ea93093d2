import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { LEVELS, levelIn } from './access-level-store.ts'

/**
 * Who may push to a branch without writing to its repository: those who may write to the code of another repository into
 * which an open pull request brings the branch, if its author allows it and may write to the branch.
 */

/** The branches of a repository to which an account may push as such a maintainer. */
export const maintainedBranches = (
  sql: Sql,
  { repository, account }: { repository: number; account: number },
) =>
  allRows(sql<{ branch: string }[]>`
    select distinct proposal.head_branch as branch
    from forge.pull_request as proposal
    join forge.issue on issue.id = proposal.issue_id
    join forge.repository on repository.id = proposal.repository_id
    where proposal.head_repository_id = ${repository} and proposal.is_open and proposal.allow_maintainer_edit
      and proposal.repository_id <> ${repository}
      and ${levelIn(sql, sql`${account}::bigint`, 'repo.code')} >= ${LEVELS.write}
      and exists (
        select from forge.repository
        where id = ${repository} and ${levelIn(sql, sql`issue.poster_id`, 'repo.code')} >= ${LEVELS.write}
      )
    order by branch`)
