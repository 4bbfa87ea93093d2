import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

/** More than any part has: what is gathered from smaller chunks is in memory twice. Only what is written takes memory. */
const chunkSize = 32 * 1024 * 1024

/** The bytes of a part, of which `compressed` is the raw deflate. */
export function inflate(compressed: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return promisify(inflateRaw)(compressed, { chunkSize })
}
