/** An entry of a tree object as git stores it: a name is bytes, in any encoding. */
export interface StoredEntry {
  /** Six octal digits: `100644`. */
  mode: string
  name: Buffer
  id: string
}

/** The mode of an entry that is a folder. */
export const folderMode = '040000'

/** Parses a tree object: for each entry mode, space, name, a zero byte, and the bytes of the id; the last may be cut. */
export function entriesOfObject(content: Buffer, idBytes: number): StoredEntry[] {
  const entries: StoredEntry[] = []
  for (let at = 0; ; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space < 0 || end < 0 || end + idBytes >= content.length) return entries
    const mode = content.toString('latin1', at, space).padStart(6, '0')
    const name = content.subarray(space + 1, end)
    at = end + 1 + idBytes
    entries.push({ mode, name, id: content.toString('hex', end + 1, at) })
  }
}

/** The content of a tree object with these entries, in any order. */
export function treeObject(entries: Iterable<StoredEntry>): Buffer {
  const sorted = [...entries].map((entry) => ({ entry, key: sortKey(entry) }))
  sorted.sort((a, b) => Buffer.compare(a.key, b.key))
  const parts = sorted.flatMap(({ entry: { mode, name, id } }) => [
    Buffer.from(`${mode.replace(/^0+/, '')} `),
    name,
    Buffer.from(`00${id}`, 'hex'),
  ])
  return Buffer.concat(parts)
}

const slash = Buffer.from('/')

/** Git sorts by bytes, and a folder as if its name ended with a slash. */
const sortKey = ({ mode, name }: StoredEntry) => (mode === folderMode ? Buffer.concat([name, slash]) : name)
