import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import { type Fragment, type Sql, type Tx, timeText } from '../../db/sql.ts'

/** The release, issue or comment that a file belongs to. */
export interface Holder {
  kind: 'release' | 'issue' | 'comment'
  id: number
}

/** A file with its content. */
export interface StoredAttachment {
  id: number
  uuid: string
  name: string
  /** Bytes. */
  size: number
  sha256: string
  download_count: number
  created_at: string
  /** Whether no later file of its release has its name: then it is the one that its name leads to. */
  is_newest: boolean
}

const holderColumns: Readonly<Record<Holder['kind'], (sql: Sql) => Fragment>> = {
  release: (sql) => sql`attachment.release_id`,
  issue: (sql) => sql`attachment.issue_id`,
  comment: (sql) => sql`attachment.comment_id`,
}

const heldBy = (sql: Sql, { kind, id }: Holder) => sql`${holderColumns[kind](sql)} = ${id}`

const sizeOfBlob = (sql: Sql) => sql`
  (
    select size
    from forge.package_blob
    where sha256 = attachment.blob
  )`

const isNewest = (sql: Sql) => sql`
  not exists (
    select
    from forge.attachment as later
    where later.release_id = attachment.release_id and later.name = attachment.name and later.id > attachment.id
  )`

const attachmentColumns = (sql: Sql) => sql`
  attachment.id, attachment.uuid, attachment.name, attachment.blob as sha256, attachment.download_count,
  attachment.created_at, ${sizeOfBlob(sql)} as size, ${isNewest(sql)} as is_newest`

/**
 * The files of the row with the id `holder`, as one JSON array, in the order in which they were uploaded: for
 * `select … from` the table of that row.
 */
export const attachmentsWithin = (sql: Sql, kind: Holder['kind'], holder: Fragment) => sql`
  coalesce((
    select json_agg(json_build_object('id', id, 'uuid', uuid, 'name', name, 'sha256', blob, 'size', ${sizeOfBlob(sql)},
      'download_count', download_count, 'created_at', ${timeText(sql, sql`created_at`)}, 'is_newest', ${isNewest(sql)}) order by id)
    from forge.attachment
    where ${holderColumns[kind](sql)} = ${holder}
  ), '[]')`

/** The files of a holder, in the order in which they were uploaded. */
export const attachmentsOf = (sql: Sql, holder: Holder) =>
  allRows(sql<StoredAttachment[]>`
    select ${attachmentColumns(sql)}
    from forge.attachment
    where ${heldBy(sql, holder)}
    order by id`)

/** The files of several releases, in the same order. */
export const attachmentsOfReleases = (sql: Sql, releases: readonly number[]) =>
  allRows(sql<(StoredAttachment & { release_id: number })[]>`
    select ${attachmentColumns(sql)}, attachment.release_id
    from forge.attachment
    where release_id = any(${[...releases]}::bigint[])
    order by id`)

export const attachmentById = (sql: Sql, holder: Holder, id: number) =>
  firstRow(sql<StoredAttachment[]>`
    select ${attachmentColumns(sql)}
    from forge.attachment
    where id = ${id} and ${heldBy(sql, holder)}`)

/** The file of a release with this name; of several, the last upload. */
export const attachmentByName = (sql: Sql, release: number, name: string) =>
  firstRow(sql<StoredAttachment[]>`
    select ${attachmentColumns(sql)}
    from forge.attachment
    where release_id = ${release} and name = ${name}
    order by id desc
    limit 1`)

/** A file by the id in its address, with the repository that it belongs to. */
export const attachmentByUuid = (sql: Sql, uuid: string) =>
  firstRow(sql<(StoredAttachment & { repository_id: number; is_of_release: boolean; is_draft: boolean })[]>`
    select ${attachmentColumns(sql)}, coalesce(release.repository_id, issue.repository_id) as repository_id,
      release.id is not null as is_of_release, coalesce(release.is_draft, false) as is_draft
    from forge.attachment
    left join forge.release on release.id = attachment.release_id
    left join forge.issue_comment as comment on comment.id = attachment.comment_id
    left join forge.issue on issue.id = coalesce(attachment.issue_id, comment.issue_id)
    where attachment.uuid = ${uuid}::uuid`)

/** Adds a file whose content has a row (`holdBlob`). */
export const insertAttachment = (
  tx: Tx,
  { kind, id }: Holder,
  draft: { uuid: string; name: string; sha256: string; uploader: number },
) =>
  onlyRow(tx<[StoredAttachment]>`
    insert into forge.attachment (uuid, release_id, issue_id, comment_id, name, blob, uploader_id, created_at)
    values (${draft.uuid}::uuid, ${kind === 'release' ? id : null}, ${kind === 'issue' ? id : null},
      ${kind === 'comment' ? id : null}, ${draft.name}, ${draft.sha256}, ${draft.uploader}, ${tx.now})
    returning ${attachmentColumns(tx)}`)

export const renameAttachment = (tx: Tx, holder: Holder, id: number, name: string) =>
  firstRow(tx<StoredAttachment[]>`
    update forge.attachment
    set name = ${name}
    where id = ${id} and ${heldBy(tx, holder)}
    returning ${attachmentColumns(tx)}`)

/** Deletes a file, whose content `cleanUpPackages` removes; false if there is none. */
export const deleteAttachment = (tx: Tx, holder: Holder, id: number) =>
  anyRow(tx`
    delete from forge.attachment
    where id = ${id} and ${heldBy(tx, holder)}
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
