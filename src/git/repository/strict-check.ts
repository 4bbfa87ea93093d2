import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { done } from '../../outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import type { GitOutcome } from '../program/outcome.ts'
import type { PlacedEntry } from './edit-tree.ts'
import { folderMode, treeObject } from './tree-object.ts'
import type { ObjectFormat } from './write-objects.ts'
import { newObject } from './write-objects.ts'

/**
 * Whether git itself reads a file with this name when it works with a commit: `.gitmodules` and `.gitattributes`, and
 * what some file system takes for one of them (`.GITMODULES`, `gitmod~1`); also some other names.
 */
export function isReadByGit(name: string): boolean {
  // The Macintosh ignores some characters in names; none of them is ASCII.
  const plain = name.replace(/[^\x20-\x7e]/g, '').toLowerCase()
  return /^\.git(?:modules|attributes)|^gi.*~/.test(plain)
}

/** An entry that is in the repository already; undefined: a folder. */
interface NamedEntry {
  name: string
  entry: PlacedEntry | undefined
}

/**
 * What git finds wrong with entries that it reads itself; undefined if nothing: the check of a push
 * (`receive.fsckObjects`). Faults: those of git.
 */
export async function faultOfEntries(
  { git, directory }: OpenRepository,
  format: ObjectFormat,
  entries: readonly NamedEntry[],
): Promise<GitOutcome<string | undefined>> {
  if (entries.length === 0) return done(undefined)
  const empty = treeObject([])
  const folder = { mode: folderMode, id: newObject(format, 'tree', empty).id }
  const trees = entries.map(({ name, entry = folder }) => treeObject([{ ...entry, name: Buffer.from(name) }]))
  const args = ['unpack-objects', '--strict', '-q']
  const read = await git.run(directory, args, { input: packOf(format, [empty, ...trees]) })
  if (read.ok) return done(undefined)
  if (read.fault.kind !== 'failed') return read
  return done(/\bobject [0-9a-f]+: (\w+: .+)/.exec(read.fault.log)?.[1] ?? 'it is not valid')
}

/** A pack of tree objects (gitformat-pack(5)). */
function packOf(format: ObjectFormat, trees: readonly Buffer[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(trees.length, 8)
  const pack = Buffer.concat([head, ...trees.flatMap((tree) => [packedSize(tree.length), deflateSync(tree)])])
  return Buffer.concat([pack, createHash(format).update(pack).digest()])
}

/** Type (a tree is 2) and size: four bits of it in the first byte, then seven in each. */
function packedSize(size: number): Buffer {
  const bytes = [0x20 | (size & 0xf)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f)
  }
  return Buffer.from(bytes)
}
