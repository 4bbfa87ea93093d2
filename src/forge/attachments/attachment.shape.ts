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

/** `host`: the root of links. */
export function printAttachment(row: StoredAttachment, { host }: { host: string }): Attachment {
  const { id, name, size, download_count, uuid } = row
  const created_at = printTime(row.created_at, EPOCH)
  const browser_download_url = `${host}attachments/${uuid}`
  return { id, name, size, download_count, created_at, uuid, browser_download_url }
}
