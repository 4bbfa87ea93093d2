import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

/**
 * A folder as one byte sequence: a 4-byte length, a JSON list of entries, then the contents of the files in that order.
 * Written at build time, read at the first start. It is not a tar file, because a tar reader would be a dependency many
 * times the size of this file.
 */

/** One entry of a packed folder: `path` with forward slashes, `size` in bytes, null for a folder. */
type PackedEntry = readonly [path: string, size: number | null]

/** A file to pack, or a folder when `bytes` is null. */
export interface PackSource {
  path: string
  bytes: Uint8Array | null
}

/**
 * Decompresses raw deflate data. With zlib's default 16 KB chunks, all chunks would be in memory beside the joined
 * result; this chunk is larger than any packed file, and only the part of it that is written to takes memory.
 */
export function decompress(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return promisify(inflateRaw)(bytes, { chunkSize: 32 * 1024 * 1024 })
}

/** Joins the entries into one buffer. A folder must come before its contents. */
export function pack(sources: readonly PackSource[]): Buffer {
  const entries: PackedEntry[] = sources.map(({ path, bytes }) => [path, bytes?.length ?? null])
  const header = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  return Buffer.concat([length, header, ...sources.flatMap(({ bytes }) => bytes ?? [])])
}

/** Splits a packed folder into its entries; their bytes are views into `packed`. */
export function unpack(packed: Buffer): PackSource[] {
  let offset = 4 + packed.readUInt32BE(0)
  const entries: PackedEntry[] = JSON.parse(packed.toString('utf8', 4, offset))
  return entries.map(([path, size]) => {
    if (size === null) return { path, bytes: null }
    offset += size
    return { path, bytes: packed.subarray(offset - size, offset) }
  })
}
