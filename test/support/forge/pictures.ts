import { createHash } from 'node:crypto'

/** The smallest images, and what they are called in the store of contents. */

const pictureOf = (bytes: Buffer) => ({
  bytes,
  base64: bytes.toString('base64'),
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

/** A picture with one transparent pixel. */
export const dotPicture = pictureOf(
  Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
)

/** The beginning of a PNG of this size, which no program could show. */
export function pngHead(width: number, height: number, more = 0) {
  const bytes = Buffer.alloc(33 + more)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return pictureOf(bytes)
}
