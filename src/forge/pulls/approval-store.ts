import { anyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { LEVELS, levelIn } from '../permissions/access-level-store.ts'

/**
 * Whether somebody must approve what an account runs by a pull request from a fork: yes, unless it may write to the Actions
 * of the repository, or a pull request of it was merged there. Restricted accounts always need that.
 */
export const needsApproval = async (sql: Sql, repository: number, account: number | null): Promise<boolean> =>
  !(await anyRow(sql`
    select
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = ${repository} and not account.is_restricted
      and (
        account.is_admin
        or ${levelIn(sql, sql`account.id`, 'repo.actions')} >= ${LEVELS.write}
        or exists (
          select
          from forge.issue
          join forge.pull_request as pull on pull.issue_id = issue.id
          where issue.repository_id = repository.id and issue.poster_id = account.id and issue.is_pull
            and pull.merged_at is not null
        )
      )`))
