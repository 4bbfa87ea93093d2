import type { Tx } from '../../db/sql.ts'
import { badRequest, unprocessable } from '../../http/route/problem.ts'
import { holdBlob } from '../blobs/blob-store.ts'
import { storeBytes } from '../blobs/content.ts'
import { decodeBase64 } from '../protocol/base64.ts'
import type { ForgeContext } from '../route.ts'
import { imageHead } from './image.ts'
import { withoutMetadata } from './metadata-filter.ts'

/** A picture in the store of contents. */
export interface Avatar {
  sha256: string
  /** Its media type. */
  type: string
}

/** Bounds of a picture in bytes, and in pixels of each side, as in Gitea. */
export const IMAGE_MAX = 1024 * 1024
const maxPixels = 4096

/**
 * Stores an image of a request, in base64; `write` sets it as a picture.
 * @throws Problem 400 not base64, 422 no image or too large, 503, 507
 */
export async function keepImage(
  { begin, tools, from }: ForgeContext<unknown>,
  image: string,
  write: (tx: Tx, avatar: Avatar) => Promise<void>,
): Promise<void> {
  const bytes = decodeBase64(image)
  if (typeof bytes === 'number') throw badRequest(`illegal base64 data at input byte ${bytes}`)
  const type = typeOf(bytes)
  const blobs = tools.blobs.forRequest(from.id)
  await storeBytes(blobs, withoutMetadata(bytes), (content) =>
    begin(async (tx) => {
      await holdBlob(tx, content)
      await write(tx, { sha256: content.digests.sha256, type })
      await blobs.place(content)
    }),
  )
}

/** @throws Problem 422 */
function typeOf(bytes: Buffer): string {
  if (bytes.length > IMAGE_MAX) throw unprocessable(`the image has more than ${IMAGE_MAX} bytes`)
  const head = imageHead(bytes)
  if (!head) throw unprocessable('this is no PNG, JPEG, GIF or WebP image')
  if (head.width > maxPixels || head.height > maxPixels)
    throw unprocessable(`the image has more than ${maxPixels} pixels in a row or column`)
  return head.type
}
