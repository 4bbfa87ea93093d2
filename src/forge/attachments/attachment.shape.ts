import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredAttachment } from './attachment-store.ts'

/** Attachment of the original. */
export const Attachment = shape('Attachment', {
  id: int,
  name: v.string(),
  size: described(int, 'Bytes'),
  download_count: int,
  created_at: moment,
  uuid: v.string(),
  browser_download_url: described(v.string(), 'Address of its content'),
})
export type Attachment = v.InferOutput<typeof Attachment>

/**
 * `host`: the root of links; `downloads`: the address of the downloads of its release, by name. A program that saves the file
 * names it after the address, so only files of issues and comments, and those whose name is that of a later file, have one
 * without their name.
 */
export function printAttachment(
  row: StoredAttachment,
  { host, downloads }: { host: string; downloads?: string | undefined },
): Attachment {
  const { id, name, size, download_count, uuid } = row
  const created_at = printTime(row.created_at, EPOCH)
  const browser_download_url =
    downloads !== undefined && row.is_newest
      ? `${downloads}/${encodeURIComponent(name)}`
      : `${host}attachments/${uuid}`
  return { id, name, size, download_count, created_at, uuid, browser_download_url }
}
