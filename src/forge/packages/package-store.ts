import type { Digests } from '../../blobs/upload.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { holdBlob } from '../blobs/blob-store.ts'
import { withoutNul } from '../protocol/search-pattern.ts'

/** A version of a package. `id` is that of the version. */
export interface PackageRow {
  id: number
  package_id: number
  owner_id: number
  creator_id: number | null
  type: string
  name: string
  version: string
  created_at: string
}

/** A file of a version, with the size and digests of its content. */
export interface PackageFileRow extends Required<Digests> {
  id: number
  version_id: number
  name: string
  /** Bytes. */
  size: number
  created_at: string
}

/** Identifies a package: its owner, its registry, and its name in any case. */
export interface PackageKey {
  owner: number
  type: string
  name: string
}

/** The form in which names are compared. */
const keyOf = (name: string) => withoutNul(name).toLowerCase()

/** The columns of a `PackageRow`, for `… from forge.package_version as version join forge.package as package …`. */
export const packageColumns = (sql: Sql) => sql`
  version.id, version.package_id, version.owner_id, version.creator_id, version.type, package.name, version.version,
  version.created_at`

const fileColumns = (sql: Sql) => sql`
  file.id, file.version_id, file.name, file.created_at, blob.size, blob.md5, blob.sha1, blob.sha256, blob.sha512`

/** A version by its names, case-insensitive. */
export const versionByName = (sql: Sql, { owner, type, name }: PackageKey, version: string) =>
  firstRow(sql<PackageRow[]>`
    select ${packageColumns(sql)}
    from forge.package as package
    join forge.package_version as version on version.package_id = package.id
    where package.owner_id = ${owner} and package.type = ${type} and package.key = ${keyOf(name)}
      and version.key = ${keyOf(version)}`)

/** A package whose name is in any case. */
export const packageByName = (sql: Sql, { owner, type, name }: PackageKey) =>
  firstRow(sql<{ id: number }[]>`
    select id
    from forge.package
    where owner_id = ${owner} and type = ${type} and key = ${keyOf(name)}`)

/** All versions of a package, the oldest first. */
export const versionsOf = (sql: Sql, id: number) =>
  allRows(sql<PackageRow[]>`
    select ${packageColumns(sql)}
    from forge.package_version as version
    join forge.package as package on package.id = version.package_id
    where version.package_id = ${id}
    order by version.id`)

/** The files of a version, by name. */
export const filesOf = (sql: Sql, version: number) =>
  allRows(sql<PackageFileRow[]>`
    select ${fileColumns(sql)}
    from forge.package_file as file
    join forge.package_blob as blob on blob.sha256 = file.blob
    where file.version_id = ${version}
    order by file.key`)

/** One file by its names, case-insensitive. */
export const fileByName = (sql: Sql, { owner, type, name }: PackageKey, version: string, file: string) =>
  firstRow(sql<PackageFileRow[]>`
    select ${fileColumns(sql)}
    from forge.package as package
    join forge.package_version as version on version.package_id = package.id
    join forge.package_file as file on file.version_id = version.id
    join forge.package_blob as blob on blob.sha256 = file.blob
    where package.owner_id = ${owner} and package.type = ${type} and package.key = ${keyOf(name)}
      and version.key = ${keyOf(version)} and file.key = ${keyOf(file)}`)

/**
 * Locks a package until the transaction ends, and creates it if it does not exist. A deleted owner violates
 * `package_owner_known`. The spelling of the name is that of its first publication.
 */
export async function lockOrCreatePackage(tx: Tx, { owner, type, name }: PackageKey): Promise<number> {
  const { id } = await onlyRow(tx<[{ id: number }]>`
    insert into forge.package as package (owner_id, type, name, created_at)
    values (${owner}, ${type}, ${name}, ${tx.now})
    on conflict on constraint package_name_unique do update set created_at = package.created_at
    returning id`)
  return id
}

/** Locks an existing package. */
export const lockPackage = (tx: Tx, { owner, type, name }: PackageKey) =>
  firstRow(tx<{ id: number; name: string }[]>`
    select id, name
    from forge.package
    where owner_id = ${owner} and type = ${type} and key = ${keyOf(name)}
    for update`)

/** What a new version consists of. */
export interface VersionDraft {
  version: string
  creator: number
  /** The metadata of its registry as JSON text. */
  metadata?: string
}

/** Adds a version to a locked package; undefined if the version already exists. */
export const insertVersion = (tx: Tx, id: number, { version, creator, metadata }: VersionDraft) =>
  firstRow(tx<PackageRow[]>`
    with version as (
      insert into forge.package_version (package_id, owner_id, type, creator_id, version, metadata, created_at)
      select id, owner_id, type, ${creator}, ${version}, ${metadata ?? null}::text::json, ${tx.now}
      from forge.package
      where id = ${id}
      on conflict on constraint package_version_unique do nothing
      returning id, package_id, owner_id, creator_id, type, version, created_at
    )
    select ${packageColumns(tx)}
    from version
    join forge.package as package on package.id = version.package_id`)

/**
 * Adds a file to a version and a row for its blob (`holdBlob`). A file name that the version already has violates
 * `package_file_unique`.
 */
export async function insertFile(
  tx: Tx,
  version: number,
  { name, digests, size }: { name: string; digests: Digests; size: number },
): Promise<void> {
  await holdBlob(tx, { digests, size })
  await tx`
    insert into forge.package_file (version_id, name, blob, created_at)
    values (${version}, ${name}, ${digests.sha256}, ${tx.now})`
}

/** Replaces the registry's metadata of a version. */
export async function updateMetadata(tx: Tx, id: number, metadata: string): Promise<void> {
  await tx`
    update forge.package_version
    set metadata = ${metadata}::text::json
    where id = ${id}`
}

/** Deletes a version of a locked package, and with its last version the package. */
export async function deleteVersion(
  sql: Sql,
  { id, package_id }: Pick<PackageRow, 'id' | 'package_id'>,
): Promise<void> {
  await sql`
    delete from forge.package_version
    where id = ${id}`
  await sql`
    delete from forge.package
    where id = ${package_id} and not exists (
      select from forge.package_version
      where package_id = package.id
    )`
}

/** Deletes one file of a version; returns the number of remaining files. */
export async function deleteFile(tx: Tx, version: number, id: number): Promise<number> {
  await tx`
    delete from forge.package_file
    where id = ${id}`
  const { files } = await onlyRow(tx<[{ files: number }]>`
    select count(*)::bigint as files
    from forge.package_file
    where version_id = ${version}`)
  return files
}

/** Locks all packages of accounts until the transaction ends. */
export async function lockPackagesOf(tx: Tx, owners: readonly number[]): Promise<void> {
  await tx`
    select from forge.package
    where owner_id = any(${[...owners]}::bigint[])
    order by id
    for update`
}

/** Deletes all packages of accounts; returns how many. */
export async function deletePackagesOf(tx: Tx, owners: readonly number[]): Promise<number> {
  const rows = await tx`
    delete from forge.package
    where owner_id = any(${[...owners]}::bigint[])`
  return rows.count
}

/** At most `limit` names of packages of an account, as `type/name`. */
export async function ownedPackageNames(sql: Sql, owner: number, limit: number): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select type || '/' || name as name
    from forge.package
    where owner_id = ${owner}
    order by type, key
    limit ${limit}`
  return rows.map(({ name }) => name)
}

/** Deletes the files of all packages that have one of these contents, and with its last file a version. */
export async function deleteFilesOf(sql: Sql, blobs: readonly string[]): Promise<void> {
  const files = await sql<{ version_id: number }[]>`
    delete from forge.package_file
    where blob = any(${[...blobs]}::text[])
    returning version_id`
  const versions = await sql<Pick<PackageRow, 'id' | 'package_id'>[]>`
    select id, package_id
    from forge.package_version as version
    where id = any(${files.map((file) => file.version_id)}::bigint[]) and not exists (
      select from forge.package_file
      where version_id = version.id
    )`
  for (const version of versions) await deleteVersion(sql, version)
}
