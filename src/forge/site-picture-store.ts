import { firstRow } from '../db/rows.ts'
import type { Sql, Tx } from '../db/sql.ts'

/** A picture of the site, with its content. */
interface StoredPicture {
  sha256: string
  type: string
  /** Bytes. */
  size: number
}

/** Adds a picture whose content has a row (`holdBlob`); `of`: the picture of which it is the thumbnail. */
export async function insertSitePicture(
  tx: Tx,
  { uuid, sha256, type, of = null }: { uuid: string; sha256: string; type: string; of?: string | null },
): Promise<void> {
  await tx`
    insert into forge.site_picture (uuid, blob, type, thumbnail_of, created_at)
    values (${uuid}::uuid, ${sha256}, ${type}, ${of}::uuid, ${tx.now})`
}

export const sitePictureByUuid = (sql: Sql, uuid: string) =>
  firstRow(sql<StoredPicture[]>`
    select blob.sha256, picture.type, blob.size
    from forge.site_picture as picture
    join forge.package_blob as blob on blob.sha256 = picture.blob
    where picture.uuid = ${uuid}::uuid`)

/** The thumbnail of a picture, or the picture itself if it has none. */
export const thumbnailOf = (sql: Sql, uuid: string) =>
  firstRow(sql<StoredPicture[]>`
    select blob.sha256, picture.type, blob.size
    from forge.site_picture as picture
    join forge.package_blob as blob on blob.sha256 = picture.blob
    where picture.uuid = ${uuid}::uuid or picture.thumbnail_of = ${uuid}::uuid
    order by picture.thumbnail_of nulls last, picture.uuid
    limit 1`)

/** Deletes the pictures that have one of these contents. */
export async function deleteSitePicturesWith(sql: Sql, blobs: readonly string[]): Promise<void> {
  await sql`
    delete from forge.site_picture
    where blob = any(${[...blobs]}::text[])`
}
