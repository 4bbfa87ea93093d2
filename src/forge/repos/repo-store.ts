import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import type { ObjectFormat } from '../../git/repository/write-objects.ts'
import { withoutUndefined } from '../accounts/edits.ts'
import { deleteThreadsOfRepositories } from '../watching/notification-store.ts'

/** A stored repository. Times are texts as the database driver returns them. */
export interface Repository {
  id: number
  owner_id: number
  name: string
  /** The directory on disk, which may still have a former name of owner or repository. */
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
  stars_count: number
  /** The repository of which it is a fork; null: it is none, or that one was deleted. */
  parent_id: number | null
  forks_count: number
  open_issues: number
  open_pulls: number
  release_count: number
  licenses: string[]
  /** Sorted, without duplicates. */
  topics: string[]
  settings: Record<string, boolean | string>
  /** Hash of its picture (`avatars/`); null: it has none. */
  avatar: string | null
  created_at: string
  updated_at: string
  archived_at: string | null
}

/** The columns of a `Repository`, for `select … from forge.repository`. */
export const repositoryColumns = (sql: Sql) => sql`
  repository.id, repository.owner_id, repository.name, repository.folder_owner, repository.folder_name,
  repository.description, repository.website, repository.is_private, repository.is_template, repository.is_archived,
  repository.is_empty, repository.default_branch, repository.object_format, repository.size, repository.branch_count,
  repository.watchers_count, repository.stars_count, repository.parent_id, repository.forks_count,
  repository.open_issues, repository.open_pulls, repository.release_count,
  repository.licenses, repository.topics, repository.settings, repository.avatar, repository.created_at, repository.updated_at, repository.archived_at`

/** The directory of a repository. */
export const folderOf = (row: Pick<Repository, 'folder_owner' | 'folder_name'>): RepositoryPath => ({
  owner: row.folder_owner,
  name: row.folder_name,
})

export const repositoryById = (sql: Sql, id: number) =>
  firstRow(sql<Repository[]>`
    select ${repositoryColumns(sql)}
    from forge.repository
    where id = ${id} and state = 'ready'`)

export const repositoriesByIds = (sql: Sql, ids: readonly number[]) =>
  allRows(sql<Repository[]>`
    select ${repositoryColumns(sql)}
    from forge.repository
    where id = any(${[...ids]}::bigint[]) and state = 'ready'`)

/** Locks the repository until the transaction ends and returns it. */
export const lockRepository = (tx: Tx, id: number) =>
  firstRow(tx<Repository[]>`
    select ${repositoryColumns(tx)}
    from forge.repository
    where id = ${id} and state = 'ready'
    for no key update`)

/** The initial values of a repository. */
export type RepositoryDraft = Pick<
  Repository,
  'owner_id' | 'name' | 'description' | 'is_private' | 'is_template' | 'is_empty' | 'default_branch'
> &
  Pick<Repository, 'object_format' | 'branch_count' | 'licenses' | 'topics'> &
  Partial<Pick<Repository, 'parent_id'>> & { folder: RepositoryPath }

/**
 * Reserves the name; the row is invisible until `finishRepository`. Violates `repository_name_unique` if the name is
 * taken, and `repository_folder_unique` while another repository occupies the directory.
 */
export async function insertRepository(tx: Tx, draft: RepositoryDraft): Promise<Repository> {
  const row = await onlyRow(tx<[Repository]>`
    insert into forge.repository
      (owner_id, name, folder_owner, folder_name, description, is_private, is_template, is_empty, default_branch,
       object_format, branch_count, licenses, topics, parent_id, created_at, updated_at)
    values
      (${draft.owner_id}, ${draft.name}, ${draft.folder.owner}, ${draft.folder.name}, ${draft.description},
       ${draft.is_private}, ${draft.is_template}, ${draft.is_empty}, ${draft.default_branch}, ${draft.object_format},
       ${draft.branch_count}, ${draft.licenses}, ${draft.topics}, ${draft.parent_id ?? null}, ${tx.now},
       ${tx.now})
    returning ${repositoryColumns(tx)}`)
  await tx`
    delete from forge.repository_redirect
    where owner_id = ${draft.owner_id} and key = ${draft.name.toLowerCase()}`
  return row
}

/** Makes a repository visible whose directory exists; undefined when the row was deleted or is visible already. */
export const finishRepository = (tx: Tx, id: number, bytes: number) =>
  firstRow(tx<Repository[]>`
    update forge.repository
    set state = 'ready', size = ${bytes}
    where id = ${id} and state = 'making'
    returning ${repositoryColumns(tx)}`)

/** Releases a reserved name whose directory could not be created. */
export async function deleteUnmade(sql: Sql, id: number): Promise<void> {
  await sql`
    delete from forge.repository
    where id = ${id} and state = 'making'`
}

/** Makes repositories invisible and detaches them from their owners. The caller deletes their directories. */
export async function releaseRepositories(
  tx: Sql,
  target: { id: number } | { owners: readonly number[] },
): Promise<RepositoryPlace[]> {
  const condition =
    'id' in target ? tx`id = ${target.id}` : tx`owner_id = any(${[...target.owners]}::bigint[])`
  const released = await allRows(tx<RepositoryPlace[]>`
    update forge.repository
    set state = 'removing', owner_id = null
    where ${condition} and state = 'ready'
    returning id, state, folder_owner, folder_name`)
  await deleteThreadsOfRepositories(
    tx,
    released.map(({ id }) => id),
  )
  return released
}

/**
 * Reserves a directory that belongs to no repository, so that no repository is created in it while it is deleted. After
 * a crash, `repair` deletes it like a released repository. Violates `repository_folder_unique` if it belongs to one.
 */
export const insertTombstone = (tx: Tx, { owner, name }: RepositoryPath) =>
  onlyRow(tx<[{ id: number }]>`
    insert into forge.repository
      (name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at, updated_at)
    values (${name}, ${owner}, ${name}, 'removing', true, 'main', 'sha1', ${tx.now}, ${tx.now})
    returning id`)

/** Deletes the row of a released repository whose directory is deleted. */
export async function deleteReleased(sql: Sql, id: number): Promise<void> {
  await sql`
    delete from forge.repository
    where id = ${id} and state = 'removing'`
}

/** A repository row with the state and the path of its directory. */
export type RepositoryPlace = Pick<Repository, 'id' | 'folder_owner' | 'folder_name'> & {
  state: 'making' | 'ready' | 'removing'
}

/** The current and the intended directory of a repository, locked until the transaction ends. */
export const lockPaths = (tx: Tx, id: number) =>
  firstRow(tx<{ folder_owner: string; folder_name: string; owner: string; name: string }[]>`
    select repository.folder_owner, repository.folder_name, account.key as owner, repository.key as name
    from forge.repository
    join forge.account on account.id = repository.owner_id
    where repository.id = ${id} and repository.state = 'ready'
    for no key update of repository`)

/** Stores the new directory of a repository. Violates `repository_folder_unique` if another one occupies it. */
export async function updateFolder(tx: Tx, id: number, { owner, name }: RepositoryPath): Promise<void> {
  await tx`
    update forge.repository
    set folder_owner = ${owner}, folder_name = ${name}
    where id = ${id}`
}

type Editable =
  | 'name'
  | 'description'
  | 'website'
  | 'is_private'
  | 'is_template'
  | 'is_archived'
  | 'default_branch'
  | 'settings'
  | 'licenses'
  | 'topics'

/** New values of a repository; undefined members stay unchanged. */
export type RepositoryEdit = { [Name in Editable]?: Repository[Name] | undefined }

/** Changes a locked repository. A rename leaves a redirect; a taken name violates `repository_name_unique`. */
export async function updateRepository(tx: Tx, old: Repository, edit: RepositoryEdit): Promise<Repository> {
  const next = { ...old, ...withoutUndefined(edit) }
  const archivedAt = next.is_archived ? (old.archived_at ?? tx.now) : null
  const row = await onlyRow(tx<[Repository]>`
    update forge.repository
    set name = ${next.name}, description = ${next.description}, website = ${next.website},
      is_private = ${next.is_private}, is_template = ${next.is_template}, is_archived = ${next.is_archived},
      default_branch = ${next.default_branch}, settings = ${JSON.stringify(next.settings)}::text::jsonb,
      licenses = ${next.licenses}, topics = ${next.topics}, archived_at = ${archivedAt}, updated_at = ${tx.now}
    where id = ${old.id}
    returning ${repositoryColumns(tx)}`)
  await insertRedirect(tx, old, row)
  return row
}

/** Sets the picture of a repository, or removes it; false: there is no such repository. */
export const updateRepositoryAvatar = (
  tx: Tx,
  id: number,
  avatar: { sha256: string; type: string } | undefined,
) =>
  anyRow(tx`
    update forge.repository
    set avatar = ${avatar?.sha256 ?? null}, avatar_type = ${avatar?.type ?? null}, updated_at = ${tx.now}
    where id = ${id} and state <> 'removing'
    returning id`)

/** Removes these pictures from repositories. */
export async function deleteRepositoryAvatars(sql: Sql, blobs: readonly string[]): Promise<void> {
  await sql`
    update forge.repository
    set avatar = null, avatar_type = null
    where avatar = any(${[...blobs]}::text[])`
}

/** Changes the owner of a locked repository, and leaves a redirect. A taken name violates `repository_name_unique`. */
export async function updateOwner(tx: Tx, old: Repository, owner: number): Promise<Repository> {
  const row = await onlyRow(tx<[Repository]>`
    update forge.repository
    set owner_id = ${owner}, updated_at = ${tx.now}
    where id = ${old.id}
    returning ${repositoryColumns(tx)}`)
  await insertRedirect(tx, old, row)
  return row
}

/** Stores a redirect from the former owner and name. */
async function insertRedirect(tx: Tx, old: Repository, { id, owner_id, name }: Repository): Promise<void> {
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

/** The values measured on disk; `look` is the number of the measurement, drawn before it starts. */
export type Measured = Pick<Repository, 'size' | 'is_empty' | 'branch_count' | 'licenses'> & { look: number }

/**
 * Updates a repository after a push. A later measurement that is stored already stays. `branch` is the new default
 * branch. Undefined if the repository was deleted meanwhile.
 */
export const updatePushed = (
  tx: Tx,
  id: number,
  { size, is_empty, branch_count, licenses, look }: Measured,
  branch: string | undefined,
) =>
  firstRow(tx<Repository[]>`
    update forge.repository
    set size = case when look < ${look} then ${size} else size end,
      is_empty = case when look < ${look} then ${is_empty} else is_empty end,
      branch_count = case when look < ${look} then ${branch_count} else branch_count end,
      licenses = case when look < ${look} then ${licenses}::text[] else licenses end,
      look = greatest(look, ${look}),
      default_branch = coalesce(${branch ?? null}, default_branch), updated_at = ${tx.now}
    where id = ${id} and state = 'ready'
    returning ${repositoryColumns(tx)}`)

/** Corrects a row by a measurement, unless a later one is stored. Returns whether the row was wrong. */
export const updateMeasured = (
  sql: Sql,
  id: number,
  { size, is_empty, branch_count, licenses, look }: Measured,
) =>
  anyRow(sql`
    update forge.repository
    set size = ${size}, is_empty = ${is_empty}, branch_count = ${branch_count}, licenses = ${licenses}, look = ${look}
    where id = ${id} and state = 'ready' and look < ${look}
      and (size, is_empty, branch_count, licenses)
        is distinct from (${size}::bigint, ${is_empty}::boolean, ${branch_count}::bigint, ${licenses}::text[])`)
