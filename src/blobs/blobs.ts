import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../errors.ts'
import { sync } from '../fsync.ts'
import { entriesOf, removeEntries } from '../git/repository/files.ts'
import { type Intake, openIntake, type Taken } from './intake.ts'

/**
 * Files named by their SHA-256, `<root>/<first two digits>/<all 64>`, so that equal contents are stored once. Uploads
 * are written to `<root>/.temporary` and renamed when they are completely on the disk, so that a crash never leaves a
 * partial file under its name.
 */
export interface Blobs {
  root: string
  /** Starts an upload. @throws Error of the file system */
  take: () => Promise<Intake>
  /** Renames an upload to its name; may be repeated. When it resolves, the name is on the disk as well. */
  place: (taken: Taken) => Promise<void>
  /**
   * Opens a file for reading, which stays readable if removed; undefined if there is none. The caller must close it.
   */
  open: (sha256: string) => Promise<FileHandle | undefined>
  /** Removes a file; does nothing if there is none. */
  remove: (sha256: string) => Promise<void>
  /** Names of all files, unordered. */
  names: () => AsyncGenerator<string>
  /** Removes unfinished uploads that were last written before a given time. */
  tidy: (before: Date) => Promise<void>
}

/** Folders are created when they are needed. */
export function createBlobs(root: string): Blobs {
  const temporary = join(root, '.temporary')
  const pathOf = (sha256: string) => {
    if (!isName(sha256)) throw new RangeError(`${sha256} is not a SHA-256`)
    return join(root, sha256.slice(0, 2), sha256)
  }
  return {
    root,
    take: async () => {
      const made = await mkdir(temporary, { recursive: true })
      if (made !== undefined) await sync(join(made, '..'))
      return openIntake(join(temporary, randomUUID()))
    },
    place: ({ digests, path }) => place(path, pathOf(digests.sha256)),
    open: (sha256) => openExisting(pathOf(sha256)),
    remove: async (sha256) => {
      await rm(pathOf(sha256), { force: true })
    },
    names: () => namesIn(root),
    tidy: async (before) => void (await removeEntries(temporary, before)),
  }
}

const isName = (text: string) => /^[0-9a-f]{64}$/.test(text)

/** If the file exists already, it is replaced by an equal one; open handles of the old one stay readable. */
async function place(from: string, to: string): Promise<void> {
  const folder = join(to, '..')
  const made = await mkdir(folder, { recursive: true })
  try {
    await rename(from, to)
  } catch (error) {
    // Already done by an earlier attempt.
    const isThere = hasCode(error, 'ENOENT') && (await lstat(to).catch(() => undefined))
    if (!isThere) throw error
  }
  await sync(folder)
  if (made !== undefined) await sync(join(folder, '..'))
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function* namesIn(root: string): AsyncGenerator<string> {
  for (const folder of await entriesOf(root)) {
    if (!folder.isDirectory() || !/^[0-9a-f]{2}$/.test(folder.name)) continue
    for (const { name } of await entriesOf(join(root, folder.name))) {
      if (isName(name) && name.startsWith(folder.name)) yield name
    }
  }
}
