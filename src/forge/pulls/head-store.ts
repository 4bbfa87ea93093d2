import { anyRow, firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { LEVELS, levelIn } from '../permissions/access-level-store.ts'
import { type Repository, repositoryColumns } from '../repos/repo-store.ts'
import type { Reader } from '../repos/visibility.ts'
import { readableBy } from '../repos/visibility-store.ts'

/** Repositories whose branches are proposed to another one. */

/** A repository with its owner. */
interface HeadRepository extends Repository {
  owner_name: string
}

/** How a client names the repository of a head: by its owner, and perhaps its name, as keys. */
interface HeadName {
  owner: string
  repo: string | undefined
}

/**
 * The repository of the same family (all that stem from one by forks) that the reader may read. Without the name of a
 * repository, the base itself counts before its parent, that before their forks, and these before forks of forks.
 */
export const headNamed = (
  sql: Sql,
  { base, reader }: { base: Pick<Repository, 'id' | 'parent_id'>; reader: Reader },
  { owner, repo }: HeadName,
) =>
  firstRow(sql<HeadRepository[]>`
    with recursive named as (
      select repository.id, repository.parent_id
      from forge.account as owner
      join forge.repository on repository.owner_id = owner.id and repository.state = 'ready'
        ${repo === undefined ? sql`` : sql`and repository.key = ${repo}`}
      where owner.key = ${owner}
    ),
    lineage as (
      select id as member, id, parent_id
      from named
      union
      select ${base.id}::bigint, ${base.id}::bigint, ${base.parent_id}::bigint
      union all
      select lineage.member, ancestor.id, ancestor.parent_id
      from lineage
      join forge.repository as ancestor on ancestor.id = lineage.parent_id
    )
    select ${repositoryColumns(sql)}, owner.name as owner_name
    from named
    join forge.repository on repository.id = named.id
    join forge.account as owner on owner.id = repository.owner_id
    where (named.id = ${base.id} or (
        select id
        from lineage
        where member = named.id and parent_id is null
      ) = (
        select id
        from lineage
        where member = ${base.id} and parent_id is null
      ))
      and (repository.id = ${base.id} or ${readableBy(sql, reader, 'repo.code')})
    order by repository.id = ${base.id} desc, repository.id = ${base.parent_id ?? 0} desc,
      coalesce(repository.parent_id in (${base.id}, ${base.parent_id ?? 0}), false) desc, repository.id
    limit 1`)

/** Whether an account may write to the code of a repository. */
export const mayWriteCode = (sql: Sql, { repository, account }: { repository: number; account: number }) =>
  anyRow(sql`
    select
    from forge.account
    join forge.repository on repository.id = ${repository}
    where account.id = ${account}
      and (account.is_admin or ${levelIn(sql, sql`account.id`, 'repo.code')} >= ${LEVELS.write})`)
