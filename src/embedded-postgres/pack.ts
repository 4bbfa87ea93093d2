/**
 * A folder as one byte sequence: a 4-byte length, a JSON list of entries, then the contents of the files in that order.
 * Written when the parts are made, read at the first start. It is not a tar file, because a tar reader would be a
 * dependency many times the size of this file.
 */

/** A file, or a folder when `bytes` is null. `path` has forward slashes. */
export interface PackedFile {
  path: string
  bytes: Uint8Array | null
}

/** One entry of the list; `size` in bytes, null for a folder. */
type Entry = readonly [path: string, size: number | null]

/** Joins the entries into one buffer. A folder must come before its contents. */
export function pack(files: readonly PackedFile[]): Buffer {
  const entries = files.map(({ path, bytes }): Entry => [path, bytes?.length ?? null])
  const list = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(list.length)
  return Buffer.concat([length, list, ...files.flatMap(({ bytes }) => bytes ?? [])])
}

/** Splits a packed folder into its entries; their bytes are views into `packed`. */
export function unpack(packed: Buffer): PackedFile[] {
  let offset = 4 + packed.readUInt32BE(0)
  const entries: Entry[] = JSON.parse(packed.toString('utf8', 4, offset))
  return entries.map(([path, size]) => {
    if (size === null) return { path, bytes: null }
    offset += size
    return { path, bytes: packed.subarray(offset - size, offset) }
  })
}
