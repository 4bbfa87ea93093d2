import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

/**
 * A folder as one piece of bytes: a 4-byte length, a JSON list of entries, then the files' bytes in that order.
 * Written at build time, read at first start. It is not a tar file because a reader for those would be a dependency
 * many times the size of these lines.
 */

/** One entry of a packed folder: `path` with forward slashes, `size` in bytes, null for a folder. */
type PackedEntry = readonly [path: string, size: number | null]

/** A file to pack, or a folder when `bytes` is null. */
export interface PackSource {
  path: string
  bytes: Uint8Array | null
}

/**
 * Undoes deflate. Zlib's own 16 KB pieces would be held beside their sum; this one is larger than anything packed, and
 * of its memory only what is written to is ever taken.
 */
export function decompress(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return promisify(inflateRaw)(bytes, { chunkSize: 32 * 1024 * 1024 })
}

/** Joins the entries into one buffer. Folders must stand before what they hold. */
export function pack(sources: readonly PackSource[]): Buffer {
  const entries: PackedEntry[] = sources.map(({ path, bytes }) => [path, bytes?.length ?? null])
  const header = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  return Buffer.concat([length, header, ...sources.flatMap(({ bytes }) => bytes ?? [])])
}

/** Takes a packed folder apart; the bytes are views into `packed`. */
export function unpack(packed: Buffer): PackSource[] {
  let offset = 4 + packed.readUInt32BE(0)
  const entries: PackedEntry[] = JSON.parse(packed.toString('utf8', 4, offset))
  return entries.map(([path, size]) => {
    if (size === null) return { path, bytes: null }
    offset += size
    return { path, bytes: packed.subarray(offset - size, offset) }
  })
}
