import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../common/errors.ts'
import { done } from '../../common/outcome.ts'
import { alternateObjects } from '../program/environment.ts'
import type { OpenRepository } from '../program/git.ts'
import { diskFault, fault, type GitOutcome } from '../program/outcome.ts'
import type { PlacedEntry } from './edit-tree.ts'
import { packOf } from './pack-file.ts'
import { folderMode, treeObject } from './tree-object.ts'
import { contentOf, type NewObject, newObject, type ObjectFormat } from './write-objects.ts'

/**
 * Whether git itself may read a file with this name when it works with a commit: `.gitmodules`, `.gitattributes`, and names
 * that a file system takes for one of them (`.GITMODULES`, `gitmod~1`). True for some other names, too.
 */
export function isReadByGit(name: string): boolean {
  // The Macintosh ignores some characters in names; none of them is ASCII.
  const plain = name.replace(/[^\x20-\x7e]/g, '').toLowerCase()
  return /^\.git(?:modules|attributes)|^gi.*~/.test(plain)
}

/** An entry to check. */
interface NamedEntry {
  name: string
  /** Undefined: a folder. */
  entry: PlacedEntry | undefined
  /** Its content, unless the repository has it. */
  blob?: NewObject | undefined
}

/**
 * Checks entries that git itself reads like those of a push (`receive.fsckObjects`): returns the fault that git reports,
 * or undefined. Git writes what it checks; that goes to a folder of its own, so that nothing stays of what is refused.
 * Faults: those of git; full.
 */
export async function faultOfEntries(
  repository: OpenRepository,
  format: ObjectFormat,
  entries: readonly NamedEntry[],
): Promise<GitOutcome<string | undefined>> {
  if (entries.length === 0) return done(undefined)
  try {
    // With this name, `git gc` removes it after a crash.
    const quarantine = await mkdtemp(join(repository.directory, 'objects', 'tmp_objdir-check-'))
    try {
      return await faultIn(quarantine, repository, { format, entries })
    } finally {
      await rm(quarantine, { recursive: true, force: true })
    }
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', String(error)) : diskFault(error)
  }
}

async function faultIn(
  quarantine: string,
  { git, directory }: OpenRepository,
  { format, entries }: { format: ObjectFormat; entries: readonly NamedEntry[] },
): Promise<GitOutcome<string | undefined>> {
  const empty = treeObject([])
  const folder = { mode: folderMode, id: newObject(format, 'tree', empty).id }
  const trees = entries.map(({ name, entry = folder }) => treeObject([{ ...entry, name: Buffer.from(name) }]))
  const args = ['unpack-objects', '--strict', '-q']
  const objects = [empty, ...trees].map((content) => ({ type: 'tree', content }) as const)
  const blobs = entries.flatMap(({ blob }) => blob ?? [])
  const contents = [...new Set(blobs)].map((blob) => ({ type: 'blob', content: contentOf(blob) }) as const)
  const environment = { GIT_OBJECT_DIRECTORY: quarantine, ...alternateObjects(directory) }
  const read = await git.run(directory, args, {
    input: packOf(format, [...contents, ...objects]),
    environment,
  })
  if (read.ok) return done(undefined)
  if (read.fault.kind !== 'failed') return read
  return done(/\bobject [0-9a-f]+: (\w+: .+)/.exec(read.fault.log)?.[1] ?? 'it is not valid')
}
