import type { Sql, Tx } from '../../db/sql.ts'
import type { ObjectFormat, RepositoryPath } from '../../git/repository/repositories.ts'
import { deleteThreadsOfRepositories } from '../notifications/notification-store.ts'

/** A repository as it is stored. Moments are texts as the pool reads them. */
export interface Repository {
  id: number
  owner_id: number
  name: string
  /** Where it lies on the disk, which need not be what it is called by now. */
  folder_owner: string
  folder_name: string
  description: string
  website: string
  is_private: boolean
  is_template: boolean
  is_archived: boolean
  is_empty: boolean
  default_branch: string
  object_format: ObjectFormat
  /** Bytes. */
  size: number
  branch_count: number
  watchers_count: number
  open_issues: number
  licenses: string[]
  /** Sorted, none twice. */
  topics: string[]
  settings: Record<string, boolean | string>
  created_at: string
  updated_at: string
  archived_at: string | null
}

/** The columns of a `Repository`, for `select … from forge.repository`. */
export const repositoryColumns = (sql: Sql) => sql`
  repository.id, repository.owner_id, repository.name, repository.folder_owner, repository.folder_name,
  repository.description, repository.website, repository.is_private, repository.is_template, repository.is_archived,
  repository.is_empty, repository.default_branch, repository.object_format, repository.size, repository.branch_count,
  repository.watchers_count, repository.open_issues, repository.licenses, repository.topics, repository.settings,
  repository.created_at, repository.updated_at, repository.archived_at`

/** The directory of a repository. */
export const folderOf = (row: Pick<Repository, 'folder_owner' | 'folder_name'>): RepositoryPath => ({
  owner: row.folder_owner,
  name: row.folder_name,
})

export async function repositoryById(sql: Sql, id: number): Promise<Repository | undefined> {
  const [row] = await sql<Repository[]>`
    select ${repositoryColumns(sql)}
    from forge.repository
    where id = ${id} and state = 'ready'`
  return row
}

export async function repositoriesByIds(sql: Sql, ids: readonly number[]): Promise<Repository[]> {
  if (ids.length === 0) return []
  return await sql<Repository[]>`
    select ${repositoryColumns(sql)}
    from forge.repository
    where id = any(${[...ids]}::bigint[]) and state = 'ready'`
}

/** The repository, locked until the transaction ends. */
export async function lockRepository(tx: Tx, id: number): Promise<Repository | undefined> {
  const [row] = await tx<Repository[]>`
    select ${repositoryColumns(tx)}
    from forge.repository
    where id = ${id} and state = 'ready'
    for no key update`
  return row
}

/** What a repository begins with. */
export type RepositoryDraft = Pick<
  Repository,
  'owner_id' | 'name' | 'description' | 'is_private' | 'is_template' | 'is_empty' | 'default_branch'
> &
  Pick<Repository, 'object_format' | 'branch_count' | 'licenses'> & { folder: RepositoryPath }

/**
 * Takes the name: nobody sees the row before `finishRepository`. Refused by `repository_name_unique`, and by
 * `repository_folder_unique` while another repository still lies in the directory.
 */
export async function insertRepository(tx: Tx, draft: RepositoryDraft): Promise<Repository> {
  const [row] = await tx<[Repository]>`
    insert into forge.repository
      (owner_id, name, folder_owner, folder_name, description, is_private, is_template, is_empty, default_branch,
       object_format, branch_count, licenses, created_at, updated_at)
    values
      (${draft.owner_id}, ${draft.name}, ${draft.folder.owner}, ${draft.folder.name}, ${draft.description},
       ${draft.is_private}, ${draft.is_template}, ${draft.is_empty}, ${draft.default_branch}, ${draft.object_format},
       ${draft.branch_count}, ${draft.licenses}, ${tx.now}, ${tx.now})
    returning ${repositoryColumns(tx)}`
  await tx`
    delete from forge.repository_redirect
    where owner_id = ${draft.owner_id} and key = ${draft.name.toLowerCase()}`
  return row
}

/** Shows a repository whose directory is there; undefined when the row has gone, or was shown already. */
export async function finishRepository(tx: Tx, id: number, bytes: number): Promise<Repository | undefined> {
  const [row] = await tx<Repository[]>`
    update forge.repository
    set state = 'ready', size = ${bytes}
    where id = ${id} and state = 'making'
    returning ${repositoryColumns(tx)}`
  return row
}

/** Gives up a name whose directory could not be made. */
export async function deleteUnmade(sql: Sql, id: number): Promise<void> {
  await sql`
    delete from forge.repository
    where id = ${id} and state = 'making'`
}

/** Takes repositories from everybody's sight and from their owners; their directories are still to be removed. */
export async function releaseRepositories(
  tx: Tx,
  which: { id: number } | { owners: readonly number[] },
): Promise<Unfinished[]> {
  const those = 'id' in which ? tx`id = ${which.id}` : tx`owner_id = any(${[...which.owners]}::bigint[])`
  const released = await tx<Unfinished[]>`
    update forge.repository
    set state = 'removing', owner_id = null
    where ${those} and state = 'ready'
    returning id, state, folder_owner, folder_name`
  await deleteThreadsOfRepositories(
    tx,
    released.map(({ id }) => id),
  )
  return released
}

/**
 * Takes a directory that is no repository, so that nobody makes one of it while it is removed: what a crash leaves of
 * this is removed like a released repository. Refused by `repository_folder_unique` when it is one.
 */
export async function insertCondemned(tx: Tx, { owner, name }: RepositoryPath): Promise<{ id: number }> {
  const [row] = await tx<[{ id: number }]>`
    insert into forge.repository
      (name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at, updated_at)
    values (${name}, ${owner}, ${name}, 'removing', true, 'main', 'sha1', ${tx.now}, ${tx.now})
    returning id`
  return row
}

/** Forgets a repository whose directory has gone. */
export async function deleteReleased(sql: Sql, id: number): Promise<void> {
  await sql`
    delete from forge.repository
    where id = ${id} and state = 'removing'`
}

/** A row whose directory is not yet, or no more, what it says. */
export type Unfinished = Pick<Repository, 'id' | 'folder_owner' | 'folder_name'> & {
  state: 'making' | 'ready' | 'removing'
}

/** Where a repository lies and where it should, locked until the transaction ends. */
export async function lockPlaces(
  tx: Tx,
  id: number,
): Promise<{ folder_owner: string; folder_name: string; owner: string; name: string } | undefined> {
  const [row] = await tx<{ folder_owner: string; folder_name: string; owner: string; name: string }[]>`
    select repository.folder_owner, repository.folder_name, account.key as owner, repository.key as name
    from forge.repository
    join forge.account on account.id = repository.owner_id
    where repository.id = ${id} and repository.state = 'ready'
    for no key update of repository`
  return row
}

/** Says where a repository lies from now on. Refused by `repository_folder_unique`. */
export async function updateFolder(tx: Tx, id: number, { owner, name }: RepositoryPath): Promise<void> {
  await tx`
    update forge.repository
    set folder_owner = ${owner}, folder_name = ${name}
    where id = ${id}`
}

/** What an edit changes; what is undefined stays. */
export type RepositoryEdit = Partial<
  Pick<
    Repository,
    | 'name'
    | 'description'
    | 'website'
    | 'is_private'
    | 'is_template'
    | 'is_archived'
    | 'default_branch'
    | 'settings'
    | 'topics'
  >
>

/** Changes a locked repository. A new name leaves a redirect under the old one and is refused by `repository_name_unique`. */
export async function updateRepository(tx: Tx, old: Repository, edit: RepositoryEdit): Promise<Repository> {
  const next = { ...old, ...given(edit) }
  const archivedAt = next.is_archived ? (old.archived_at ?? tx.now) : null
  const [row] = await tx<[Repository]>`
    update forge.repository
    set name = ${next.name}, description = ${next.description}, website = ${next.website},
      is_private = ${next.is_private}, is_template = ${next.is_template}, is_archived = ${next.is_archived},
      default_branch = ${next.default_branch}, settings = ${JSON.stringify(next.settings)}::text::jsonb,
      topics = ${next.topics}, archived_at = ${archivedAt}, updated_at = ${tx.now}
    where id = ${old.id}
    returning ${repositoryColumns(tx)}`
  await redirect(tx, old, row)
  return row
}

/** Gives a locked repository another owner. Refused by `repository_name_unique`. */
export async function updateOwner(tx: Tx, old: Repository, owner: number): Promise<Repository> {
  const [row] = await tx<[Repository]>`
    update forge.repository
    set owner_id = ${owner}, updated_at = ${tx.now}
    where id = ${old.id}
    returning ${repositoryColumns(tx)}`
  await redirect(tx, old, row)
  return row
}

/** Leaves a way from where a repository was. */
async function redirect(tx: Tx, old: Repository, { id, owner_id, name }: Repository): Promise<void> {
  const [from, to] = [old.name.toLowerCase(), name.toLowerCase()]
  if (old.owner_id === owner_id && from === to) return
  await tx`
    delete from forge.repository_redirect
    where owner_id = ${owner_id} and key = ${to}`
  await tx`
    insert into forge.repository_redirect (owner_id, key, repository_id)
    values (${old.owner_id}, ${from}, ${id})
    on conflict on constraint repository_redirect_pkey do update set repository_id = excluded.repository_id`
}

/** What can be measured on the disk; `look` is drawn before. */
export type Measured = Pick<Repository, 'size' | 'is_empty' | 'branch_count'> & { look: number }

/** A repository that is to be looked at on the disk, with a number for that. */
export async function repositoryToMeasure(
  sql: Sql,
  id: number,
): Promise<(Repository & { look: number }) | undefined> {
  const [row] = await sql<(Repository & { look: number })[]>`
    select ${repositoryColumns(sql)}, nextval('forge.repository_look') as look
    from forge.repository
    where id = ${id} and state = 'ready'`
  return row
}

/** A number for a look at the disk: of two looks the one with the higher number is stored, whoever is first. */
export async function drawLook(sql: Sql): Promise<number> {
  const [row] = await sql<[{ look: number }]>`select nextval('forge.repository_look') as look`
  return row.look
}

/**
 * The repository after a push; its measures stay where somebody has looked later. `branch` is the new default branch.
 * Undefined when the repository has gone meanwhile.
 */
export async function updatePushed(
  tx: Tx,
  id: number,
  { size, is_empty, branch_count, look }: Measured,
  branch: string | undefined,
): Promise<Repository | undefined> {
  const [row] = await tx<Repository[]>`
    update forge.repository
    set size = case when look < ${look} then ${size} else size end,
      is_empty = case when look < ${look} then ${is_empty} else is_empty end,
      branch_count = case when look < ${look} then ${branch_count} else branch_count end,
      look = greatest(look, ${look}),
      default_branch = coalesce(${branch ?? null}, default_branch), updated_at = ${tx.now}
    where id = ${id} and state = 'ready'
    returning ${repositoryColumns(tx)}`
  return row
}

/** Corrects a row by what was measured, unless somebody has looked later. Gives whether it was wrong. */
export async function updateMeasured(
  sql: Sql,
  id: number,
  { size, is_empty, branch_count, look }: Measured,
): Promise<boolean> {
  const corrected = await sql`
    update forge.repository
    set size = ${size}, is_empty = ${is_empty}, branch_count = ${branch_count}, look = ${look}
    where id = ${id} and state = 'ready' and look < ${look}
      and (size, is_empty, branch_count) is distinct from (${size}::bigint, ${is_empty}::boolean, ${branch_count}::bigint)`
  return corrected.count > 0
}

/** Without the members that are undefined, which would hide what is stored. */
function given<Edit extends object>(edit: Edit): Partial<Edit> {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as Partial<Edit>
}
