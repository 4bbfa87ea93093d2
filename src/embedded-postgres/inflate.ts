import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

/** Larger than any part: zlib would copy smaller chunks, so that they were in memory twice. Unwritten memory costs nothing. */
const chunkSize = 32 * 1024 * 1024

/** The bytes of a part that is compressed with raw deflate. */
export function inflate(compressed: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return promisify(inflateRaw)(compressed, { chunkSize })
}
