import type { Digests } from '../../blobs/upload.ts'
import { allRows, anyRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'

// Rows of contents, and which of them something uses.

/** The next blobs after `after`, in the order of their names, and whether something uses them. */
export const blobsAfter = (sql: Sql, after: string, limit: number) =>
  allRows(sql<{ sha256: string; is_used: boolean }[]>`
    select sha256, one.use is not null as is_used
    from (
      select sha256
      from forge.package_blob
      where sha256 > ${after}
      order by sha256
      limit ${limit}
    ) as next
    left join lateral (
      select use
      from (${usesOf(sql, sql`next.sha256`)}) as any_use
      limit 1
    ) as one on true
    order by sha256`)

/** Those of the names that have no row. */
export async function unknownBlobs(sql: Sql, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name
    from unnest(${[...names]}::text[]) as name
    where not exists (
      select from forge.package_blob
      where sha256 = name
    )`
  return rows.map(({ name }) => name)
}

/** Names of all blobs that have a row, also of unused ones; schemas of earlier releases have this table, too. */
export async function knownBlobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ sha256: string }[]>`
    select sha256
    from forge.package_blob
    order by sha256`
  return rows.map(({ sha256 }) => sha256)
}

/** Names of all blobs that something uses. */
export async function usedBlobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ blob: string }[]>`
    select blob
    from forge.package_file
    union
    select blob
    from forge.attachment
    union
    select blob
    from forge.action_artifact_part
    union
    select avatar
    from forge.account
    where avatar is not null
    union
    select avatar
    from forge.repository
    where avatar is not null
    union
    select blob
    from forge.site_picture
    order by blob`
  return rows.map(({ blob }) => blob)
}

/** Bytes of all blobs. */
export async function sizeOfBlobs(sql: Sql): Promise<number> {
  const { size } = await onlyRow(sql<[{ size: number }]>`
    select coalesce(sum(size), 0)::bigint as size
    from forge.package_blob`)
  return size
}

export const isUsedBlob = (sql: Sql, sha256: string) =>
  anyRow(sql`
    ${usesOf(sql, sql`${sha256}`)}
    limit 1`)

/**
 * What uses a content: a file of a package, a release, an issue or a comment, a part of an artifact, or an account,
 * repository or media item whose picture it is.
 */
const usesOf = (sql: Sql, sha256: Fragment) => sql`
  select id as use
  from forge.package_file
  where blob = ${sha256}
  union all
  select id
  from forge.attachment
  where blob = ${sha256}
  union all
  select artifact_id
  from forge.action_artifact_part
  where blob = ${sha256}
  union all
  select id
  from forge.account
  where avatar = ${sha256}
  union all
  select id
  from forge.repository
  where avatar = ${sha256}
  union all
  select 0
  from forge.site_picture
  where blob = ${sha256}`

/**
 * Adds a row for a content unless it has one, and the checksums that the row does not have yet: only packages need all.
 * Transactions that add or remove the same content wait until this one ends.
 */
export async function holdBlob(tx: Tx, { digests, size }: { digests: Digests; size: number }): Promise<void> {
  const { sha256, sha512 = '', sha1 = '', md5 = '' } = digests
  await tx`
    insert into forge.package_blob as blob (sha256, sha512, sha1, md5, size, created_at)
    values (${sha256}, ${sha512}, ${sha1}, ${md5}, ${size}, ${tx.now})
    on conflict on constraint package_blob_pkey do update set
      sha512 = coalesce(nullif(blob.sha512, ''), excluded.sha512),
      sha1 = coalesce(nullif(blob.sha1, ''), excluded.sha1),
      md5 = coalesce(nullif(blob.md5, ''), excluded.md5)`
}

/** The same for contents, in one order, so that two transactions with the same contents do not wait for each other. */
export async function holdBlobs(tx: Tx, contents: readonly Parameters<typeof holdBlob>[1][]): Promise<void> {
  for (const content of contents.toSorted((a, b) => (a.digests.sha256 < b.digests.sha256 ? -1 : 1)))
    await holdBlob(tx, content)
}

/**
 * Locks the name of an unused blob until the transaction ends and deletes its row, so that uploads of the same content
 * wait. Returns false if the blob is in use.
 */
export async function freeBlob(tx: Tx, sha256: string): Promise<boolean> {
  // Waits for an upload that has moved the blob into place and has not committed yet.
  await tx`
    insert into forge.package_blob as blob (sha256, sha512, sha1, md5, size, created_at)
    values (${sha256}, '', '', '', 0, ${tx.now})
    on conflict on constraint package_blob_pkey do update set created_at = blob.created_at`
  return anyRow(tx`
    delete from forge.package_blob
    where sha256 = ${sha256} and not exists (${usesOf(tx, tx`${sha256}`)})
    returning sha256`)
}
