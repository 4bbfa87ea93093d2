import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import { type Repository, type RepositoryPlace, repositoryColumns } from './repo-store.ts'

/** Iterates over all repositories in batches. */
export async function* allRepositories(sql: Sql): AsyncGenerator<Repository> {
  for (let last = 0; ; ) {
    const rows = await repositoriesAfter(sql, last, 100)
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = end.id
  }
}

const repositoriesAfter = (sql: Sql, id: number, maximum: number) =>
  allRows(sql<Repository[]>`
    select ${repositoryColumns(sql)}
    from forge.repository
    where id > ${id} and state = 'ready'
    order by id
    limit ${maximum}`)

/**
 * Locks all repositories of accounts, and those that an account watches or has starred, until the transaction ends: when
 * the account is deleted, triggers recount their watchers and stars.
 */
export async function lockRepositoriesOf(
  tx: Tx,
  { owners, account }: { owners: readonly number[]; account: number },
): Promise<void> {
  await tx`
    select from forge.repository
    where id in (
      select id
      from forge.repository
      where owner_id = any(${[...owners]}::bigint[])
      union
      select repository_id
      from forge.repository_watch
      where account_id = ${account}
      union
      select repository_id
      from forge.repository_star
      where account_id = ${account}
    )
    order by id
    for update`
}

/** Creations started before a moment and all deletions that are not finished, oldest first. */
export const unfinishedBefore = (sql: Sql, moment: Date, maximum: number) =>
  allRows(sql<RepositoryPlace[]>`
    select id, state, folder_owner, folder_name
    from forge.repository
    where state <> 'ready' and (state = 'removing' or created_at < ${moment})
    order by created_at, id
    limit ${maximum}`)

/** Repositories whose directory does not match their current name: all, or those of one owner. */
export const misplacedRepositories = (sql: Sql, owner: number | null) =>
  allRows(sql<{ id: number }[]>`
    select repository.id
    from forge.repository
    join forge.account on account.id = repository.owner_id
    where repository.state = 'ready'
      and (${owner}::bigint is null or repository.owner_id = ${owner})
      and (repository.folder_owner <> account.key or repository.folder_name <> repository.key)
    order by repository.id`)

/** The repository that occupies a directory under a former name. */
export async function misplacedAt(sql: Sql, { owner, name }: RepositoryPath): Promise<number | undefined> {
  const row = await firstRow(sql<{ id: number }[]>`
    select repository.id
    from forge.repository
    join forge.account on account.id = repository.owner_id
    where repository.state = 'ready'
      and repository.folder_owner = ${owner} and repository.folder_name = ${name}
      and (account.key <> ${owner} or repository.key <> ${name})`)
  return row?.id
}

/** Whether an owner has a repository with that name (in lower case), including ones in creation. */
export const isRepositoryName = (sql: Sql, owner: number, key: string) =>
  anyRow(sql`
    select id
    from forge.repository
    where owner_id = ${owner} and key = ${key}`)

/** The number of repositories that an account owns, including ones in creation. */
export async function countOwned(sql: Sql, owner: number): Promise<number> {
  const { owned } = await onlyRow(sql<[{ owned: number }]>`
    select count(*)::bigint as owned
    from forge.repository
    where owner_id = ${owner}`)
  return owned
}

/** At most `maximum` names of repositories that an account owns. */
export async function ownedNames(sql: Sql, owner: number, maximum: number): Promise<string[]> {
  const rows = await allRows(sql<{ name: string }[]>`
    select name
    from forge.repository
    where owner_id = ${owner}
    order by key
    limit ${maximum}`)
  return rows.map(({ name }) => name)
}

/** The directories of all repositories that are not being removed. */
export const placesOfRepositories = (sql: Sql) =>
  allRows(sql<RepositoryPlace[]>`
    select id, state, folder_owner, folder_name
    from forge.repository
    where state <> 'removing'
    order by id`)

/** The directory of a repository; undefined if it has no row. */
export const placeOf = (sql: Sql, id: number) =>
  firstRow(sql<RepositoryPlace[]>`
    select id, state, folder_owner, folder_name
    from forge.repository
    where id = ${id}`)

/** The number of a measurement. Of two concurrent ones the higher number wins, whichever finishes first. */
export async function drawLook(sql: Sql): Promise<number> {
  const { look } = await onlyRow(sql<[{ look: number }]>`select nextval('forge.repository_look') as look`)
  return look
}

/** A repository to be measured on disk, with the number of the measurement. */
export const repositoryToMeasure = (sql: Sql, id: number) =>
  firstRow(sql<(Repository & { look: number })[]>`
    select ${repositoryColumns(sql)}, nextval('forge.repository_look') as look
    from forge.repository
    where id = ${id} and state = 'ready'`)

/** Those paths that no row uses and whose owner exists, in the same order. */
export const unadopted = (sql: Sql, directories: readonly RepositoryPath[]) =>
  allRows(sql<RepositoryPath[]>`
    select directory.owner, directory.name
    from unnest(${directories.map(({ owner }) => owner)}::text[], ${directories.map(({ name }) => name)}::text[])
      with ordinality as directory (owner, name, place)
    join forge.account on account.key = directory.owner
    where not exists (
      select from forge.repository
      where folder_owner = directory.owner and folder_name = directory.name
    )
    order by directory.place`)

/** A repository by its name in any case; undefined if there is none that is ready. */
export const repositoryNamed = (sql: Sql, owner: number, name: string) =>
  firstRow(sql<{ id: number; name: string }[]>`
    select id, name
    from forge.repository
    where owner_id = ${owner} and key = ${name.toLowerCase()} and state = 'ready'`)

/** The fork of a repository that an account has, also one that is being made. */
export const forkOf = (sql: Sql, parent: number, owner: number) =>
  firstRow(sql<{ id: number; name: string }[]>`
    select id, name
    from forge.repository
    where parent_id = ${parent} and owner_id = ${owner}
    order by id
    limit 1`)

/** Ids of the forks of a repository, and of their forks. */
export async function forksBelow(sql: Sql, repository: number): Promise<number[]> {
  const rows = await allRows(sql<{ id: number }[]>`
    with recursive fork as (
      select id
      from forge.repository
      where parent_id = ${repository}
      union
      select further.id
      from fork
      join forge.repository as further on further.parent_id = fork.id
    )
    select id
    from fork
    order by id`)
  return rows.map(({ id }) => id)
}
