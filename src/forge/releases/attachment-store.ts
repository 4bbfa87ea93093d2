import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** A file of a release, with its content. */
export interface StoredAttachment {
  id: number
  uuid: string
  release_id: number
  name: string
  /** Bytes. */
  size: number
  sha256: string
  download_count: number
  created_at: string
}

const attachmentColumns = (sql: Sql) => sql`
  attachment.id, attachment.uuid, attachment.release_id, attachment.name, attachment.blob as sha256,
  attachment.download_count, attachment.created_at, (
    select size
    from forge.package_blob
    where sha256 = attachment.blob
  ) as size`

/** The files of releases, in the order in which they were uploaded. */
export const attachmentsOf = (sql: Sql, releases: readonly number[]) =>
  allRows(sql<StoredAttachment[]>`
    select ${attachmentColumns(sql)}
    from forge.attachment
    where release_id = any(${[...releases]}::bigint[])
    order by id`)

export const attachmentById = (sql: Sql, release: number, id: number) =>
  firstRow(sql<StoredAttachment[]>`
    select ${attachmentColumns(sql)}
    from forge.attachment
    where id = ${id} and release_id = ${release}`)

/** The file of a release with this name; of several, the one that was uploaded last. */
export const attachmentByName = (sql: Sql, release: number, name: string) =>
  firstRow(sql<StoredAttachment[]>`
    select ${attachmentColumns(sql)}
    from forge.attachment
    where release_id = ${release} and name = ${name}
    order by id desc
    limit 1`)

/** A file of a release by the name in its address, with the repository that it belongs to. */
export const attachmentByUuid = (sql: Sql, uuid: string) =>
  firstRow(sql<(StoredAttachment & { repository_id: number; is_draft: boolean })[]>`
    select ${attachmentColumns(sql)}, release.repository_id, release.is_draft
    from forge.attachment
    join forge.release on release.id = attachment.release_id
    where attachment.uuid = ${uuid}::uuid`)

/** Adds a file whose content has a row (`holdBlob`). */
export const insertAttachment = (
  tx: Tx,
  draft: { uuid: string; release: number; name: string; sha256: string; uploader: number },
) =>
  onlyRow(tx<[StoredAttachment]>`
    insert into forge.attachment (uuid, release_id, name, blob, uploader_id, created_at)
    values (${draft.uuid}::uuid, ${draft.release}, ${draft.name}, ${draft.sha256}, ${draft.uploader}, ${tx.now})
    returning ${attachmentColumns(tx)}`)

export const renameAttachment = (tx: Tx, release: number, id: number, name: string) =>
  firstRow(tx<StoredAttachment[]>`
    update forge.attachment
    set name = ${name}
    where id = ${id} and release_id = ${release}
    returning ${attachmentColumns(tx)}`)

/** Deletes a file, whose content `cleanUpPackages` removes; false if there is none. */
export const deleteAttachment = (tx: Tx, release: number, id: number) =>
  anyRow(tx`
    delete from forge.attachment
    where id = ${id} and release_id = ${release}
    returning id`)

export async function countDownload(sql: Sql, id: number): Promise<void> {
  await sql`
    update forge.attachment
    set download_count = download_count + 1
    where id = ${id}`
}

/** Deletes the files that have one of these contents. */
export async function deleteAttachmentsWith(sql: Sql, blobs: readonly string[]): Promise<void> {
  await sql`
    delete from forge.attachment
    where blob = any(${[...blobs]}::text[])`
}
