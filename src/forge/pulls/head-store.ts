import { firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
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
 * The repository of the same family (a repository, its parent and all forks of both) that the reader may read. Without the
 * name of a repository, the base itself counts before its parent, and that before forks.
 */
export const headNamed = (
  sql: Sql,
  { base, reader }: { base: Pick<Repository, 'id' | 'parent_id'>; reader: Reader },
  { owner, repo }: HeadName,
) =>
  firstRow(sql<HeadRepository[]>`
    select ${repositoryColumns(sql)}, owner.name as owner_name
    from forge.repository
    join forge.account as owner on owner.id = repository.owner_id
    where owner.key = ${owner} and repository.state = 'ready'
      and (
        repository.id in (${base.id}, ${base.parent_id ?? 0})
        or repository.parent_id in (${base.id}, ${base.parent_id ?? 0})
      )
      ${repo === undefined ? sql`` : sql`and repository.key = ${repo}`}
      and (repository.id = ${base.id} or ${readableBy(sql, reader, 'repo.code')})
    order by repository.id = ${base.id} desc, repository.id = ${base.parent_id ?? 0} desc, repository.id
    limit 1`)
