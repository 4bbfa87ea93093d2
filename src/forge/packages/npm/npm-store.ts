import { allRows, firstRow, onlyRow } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'
import type { OnSubject } from '../../auth/access.ts'
import type { PackageKey } from '../package-store.ts'
import type { StoredVersion } from './packument.ts'
import { compareVersions } from './semver.ts'

/** The package of this name in the npm registry of an owner. */
export const npmPackage = ({ subject }: OnSubject, name: string): PackageKey => ({
  owner: subject.id,
  type: 'npm',
  name,
})

/** All versions of a package of an owner, oldest first; empty if there is no such package. */
export const npmVersions = (sql: Sql, owner: number, name: string) =>
  allRows(sql<(StoredVersion & { name: string })[]>`
    select package.name, version.id, version.version, version.created_at, version.metadata as manifest,
      blob.sha1, blob.sha512, array(
        select tag
        from forge.package_tag
        where version_id = version.id and package_id = version.package_id
      ) as tags
    from forge.package as package
    join forge.package_version as version on version.package_id = package.id
    join forge.package_file as file on file.version_id = version.id
    join forge.package_blob as blob on blob.sha256 = file.blob
    where package.owner_id = ${owner} and package.type = 'npm' and package.key = ${name}
    order by version.created_at, version.id`)

/** Total size of the metadata of all versions of a package, in bytes. */
export async function metadataBytes(sql: Sql, package_id: number): Promise<number> {
  const { bytes } = await onlyRow(sql<[{ bytes: number }]>`
    select coalesce(sum(octet_length(metadata::text)), 0)::bigint as bytes
    from forge.package_version
    where package_id = ${package_id}`)
  return bytes
}

/** A package in a search result, with its `latest` version. */
export interface FoundPackage extends Pick<StoredVersion, 'version' | 'created_at' | 'manifest'> {
  name: string
}

/** Packages of an owner whose names contain all the terms, by name, with their total number. */
export async function npmPackagesNamed(
  sql: Sql,
  { owner, terms }: { owner: number; terms: readonly string[] },
  { size, from }: { size: number; from: number },
): Promise<{ total: number; packages: FoundPackage[] }> {
  const matches = sql`
    owner_id = ${owner} and type = 'npm' and not exists (
      select from unnest(${[...terms]}::text[]) as term
      where position(term in key) = 0
    )`
  const rows = await sql<({ total: number } & (FoundPackage | { name: null }))[]>`
    select (select count(*)::bigint from forge.package where ${matches}) as total, match.*
    from (select) as always
    left join lateral (
      select page.name, page.key, version.version, version.created_at, version.metadata as manifest
      from (
        select id, name, key
        from forge.package
        where ${matches}
        order by key
        limit ${size}
        offset ${from}
      ) as page
      join forge.package_tag as tag on tag.package_id = page.id and tag.tag = 'latest'
      join forge.package_version as version on version.id = tag.version_id
    ) as match on true
    order by match.key`
  return { total: rows[0]?.total ?? 0, packages: rows.filter((row) => row.name !== null) }
}

/** Points tags to a version, creating them if necessary. */
export async function setTags(
  tx: Tx,
  { id, package_id }: { id: number; package_id: number },
  tags: readonly string[],
): Promise<void> {
  await tx`
    insert into forge.package_tag (package_id, tag, version_id)
    select ${package_id}, tag, ${id}
    from unnest(${[...tags]}::text[]) as tag
    on conflict on constraint package_tag_pkey do update set version_id = excluded.version_id`
}

/** Undefined if there was no such tag. */
export const deleteTag = (tx: Tx, id: number, tag: string) =>
  firstRow(tx<{ tag: string }[]>`
    delete from forge.package_tag
    where package_id = ${id} and tag = ${tag}
    returning tag`)

/** Tags the greatest version of a locked package as `latest` if the package has no `latest`, as npm would choose. */
export async function ensureLatest(tx: Tx, package_id: number): Promise<void> {
  const versions = await tx<{ id: number; version: string }[]>`
    select id, version
    from forge.package_version
    where package_id = ${package_id} and not exists (
      select from forge.package_tag
      where package_id = ${package_id} and tag = 'latest'
    )`
  const [greatest] = [...versions].sort((a, b) => compareVersions(b.version, a.version))
  if (greatest) await setTags(tx, { id: greatest.id, package_id }, ['latest'])
}
