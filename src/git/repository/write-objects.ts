import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { hasCode } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'
import { inParallel } from '../../common/in-parallel.ts'
import { done } from '../../common/outcome.ts'
import { diskFault, fault, type GitOutcome } from '../program/outcome.ts'
import { filesAtOnce } from './files.ts'

/** Writes objects without a process (docs/decisions/33-how-the-server-uses-git.md). */

/** How git hashes objects. */
export type ObjectFormat = 'sha1' | 'sha256'
export type ObjectType = 'blob' | 'tree' | 'commit'

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

/** The content without its header. */
export const contentOf = ({ bytes }: NewObject): Buffer => bytes.subarray(bytes.indexOf(0) + 1)

/**
 * Writes objects as loose files (gitformat-loose(5)); when it returns, they are on the disk. Gives the bytes of new files.
 * `git gc` removes objects to which nothing refers, and the temporary files that a crash leaves. Faults: gone, full, failed.
 */
export async function writeObjects(
  { directory }: { directory: string },
  objects: readonly NewObject[],
): Promise<GitOutcome<number>> {
  const root = join(directory, 'objects')
  const byId = new Map(objects.map((object) => [object.id, object]))
  const folders = new Set([...byId.keys()].map((id) => join(root, id.slice(0, 2))))
  try {
    let bytes = 0
    await inParallel(filesAtOnce, byId.values(), async (object) => {
      const written = await writeLoose(root, object)
      bytes += written
    })
    // Also for existing objects: their writer may not have synced the folder yet.
    await inParallel(filesAtOnce, [root, ...folders], sync)
    return done(bytes)
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', String(error)) : diskFault(error)
  }
}

/** Maximum attempts to write a file: `git gc` may remove its empty folder meanwhile. */
const maxTries = 5

/** Gives the bytes of the file; 0 if there is one already. */
async function writeLoose(root: string, { id, bytes }: NewObject): Promise<number> {
  const folder = join(root, id.slice(0, 2))
  const path = join(folder, id.slice(2))
  if (await renewed(path)) return 0
  const packed = await compress(bytes, { level: 1 })
  for (let tries = 1; ; tries++) {
    try {
      await writeDurably(folder, path, packed)
      return packed.length
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
async function writeDurably(folder: string, path: string, bytes: Buffer): Promise<void> {
  const temporary = join(folder, `tmp_obj_${randomUUID()}`)
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
