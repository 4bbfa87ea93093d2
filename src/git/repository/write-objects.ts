import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { hasCode } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'
import { inParallel } from '../../common/in-parallel.ts'
import { done } from '../../common/outcome.ts'
import { type CommitSigner, signedCommit } from '../program/commit-signer.ts'
import { diskFault, fault, type GitOutcome } from '../program/outcome.ts'
import { filesAtOnce } from './files.ts'

/** Writes objects without a process (docs/decisions/33-how-the-server-uses-git.md). */

/** How git hashes objects. */
export type ObjectFormat = 'sha1' | 'sha256'
export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** How a repository hashes objects that has an object with this id. */
export const formatOf = (id: string): ObjectFormat => (id.length === 64 ? 'sha256' : 'sha1')

/** An object to write. */
export interface NewObject {
  id: string
  /** Header and content; the id is their hash. */
  bytes: Buffer
}

export function newObject(format: ObjectFormat, type: ObjectType, content: Buffer): NewObject {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  return { id: createHash(format).update(bytes).digest('hex'), bytes }
}

/** A commit object, signed if the server has a key. */
export const newCommitObject = (format: ObjectFormat, content: Buffer, signer: CommitSigner | undefined) =>
  newObject(format, 'commit', signedCommit(content, signer, format === 'sha256'))

/** The content without its header. */
export const contentOf = ({ bytes }: NewObject): Buffer => bytes.subarray(bytes.indexOf(0) + 1)

/**
 * Writes objects as loose files (gitformat-loose(5)); when it returns, they are on the disk. Gives the bytes of new files.
 * `git gc` removes objects to which nothing refers, and the temporary files that a crash leaves. Faults: gone, full, failed.
 */
export async function writeObjects(
  repository: Place,
  objects: readonly NewObject[],
): Promise<GitOutcome<number>> {
  const byId = new Map(objects.map((object) => [object.id, object.bytes]))
  return placeAll(repository, byId, async (bytes) => {
    const packed = await compress(bytes, { level: 1 })
    return { size: packed.length, place: (path) => writeDurably(path, packed) }
  })
}

/** Writes objects into a repository that is removed soon: they are not synced. @throws Error of the file system */
export async function writeTemporary({ directory }: Place, objects: readonly NewObject[]): Promise<void> {
  for (const { id, bytes } of objects) {
    const folder = join(directory, 'objects', id.slice(0, 2))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, id.slice(2)), await compress(bytes, { level: 1 }), { mode: 0o444 })
  }
}

/** Removes an object that `writeTemporary` has written. */
export const removeTemporary = ({ directory }: Place, id: string) =>
  rm(join(directory, 'objects', id.slice(0, 2), id.slice(2)))

/**
 * Moves the loose files of a repository to another one; when it returns, they are on the disk. Gives the bytes of those that
 * were not there. Both repositories are in one file system. Faults: gone, full, failed.
 */
export async function moveObjects(from: Place, to: Place): Promise<GitOutcome<number>> {
  const files = await readdir(join(from.directory, 'objects'), { recursive: true })
  const loose = files.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]+$/.test(name))
  const byId = new Map(loose.map((name) => [name.replace('/', ''), join(from.directory, 'objects', name)]))
  return placeAll(to, byId, async (file) => {
    await sync(file)
    return { size: (await stat(file)).size, place: (path) => rename(file, path) }
  })
}

/** A repository. */
interface Place {
  directory: string
}

/** A file that is ready to be placed. */
interface Placeable {
  size: number
  /** @throws Error with the code ENOENT if there is no such folder */
  place: (path: string) => Promise<void>
}

/** Places the loose files of objects by their ids, and syncs the folders. Gives the bytes of those that were not there. */
async function placeAll<Source>(
  { directory }: Place,
  sources: ReadonlyMap<string, Source>,
  prepare: (source: Source) => Promise<Placeable>,
): Promise<GitOutcome<number>> {
  const root = join(directory, 'objects')
  const folders = new Set([...sources.keys()].map((id) => join(root, id.slice(0, 2))))
  try {
    const sizes = await inParallel(filesAtOnce, sources, ([id, source]) =>
      placeLoose(root, id, () => prepare(source)),
    )
    // Also for existing objects: their writer may not have synced the folder yet.
    await inParallel(filesAtOnce, [root, ...folders], sync)
    return done(sizes.reduce((total, size) => total + size, 0))
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', String(error)) : diskFault(error)
  }
}

/** Maximum attempts to place a file: `git gc` may remove its empty folder meanwhile. */
const maxTries = 5

/** Gives the bytes of the file; 0 if there is one already. */
async function placeLoose(root: string, id: string, prepare: () => Promise<Placeable>): Promise<number> {
  const folder = join(root, id.slice(0, 2))
  const path = join(folder, id.slice(2))
  if (await renewed(path)) return 0
  const { size, place } = await prepare()
  for (let tries = 1; ; tries++) {
    try {
      await place(path)
      return size
    } catch (error) {
      if (tries === maxTries || !hasCode(error, 'ENOENT')) throw error
      await mkdir(folder).catch((failure) => {
        if (!hasCode(failure, 'EEXIST')) throw failure
      })
    }
  }
}

const compress = promisify<Buffer, { level: number }, Buffer>(deflate)

/**
 * Sets the time of an existing loose file to now; false if there is none. `git gc` removes old objects to which nothing
 * refers yet. An object that is in a pack is written once more.
 */
async function renewed(path: string): Promise<boolean> {
  const now = new Date()
  try {
    await utimes(path, now, now)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** `git gc` removes old files with this beginning. */
async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const temporary = join(dirname(path), `tmp_obj_${randomUUID()}`)
  const file = await open(temporary, 'wx', 0o444)
  try {
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
