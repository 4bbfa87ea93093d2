import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../errors.ts'
import { sync } from '../fsync.ts'
import { entriesOf, removeEntries } from '../git/repository/files.ts'
import { type Intake, openIntake, type Taken } from './intake.ts'

/**
 * Contents that are called by their SHA-256, `<root>/<first two digits>/<all 64>`, so that equal ones lie there once.
 * What is being taken in lies in `<root>/.temporary` meanwhile; it gets its name when all of it is on the disk, so that
 * a crash never shows half a content.
 */
export interface Blobs {
  root: string
  /** @throws Error of the file system */
  take: () => Promise<Intake>
  /** Gives a content its name; it can be done again. When it resolves the name is on the disk as well. */
  place: (taken: Taken) => Promise<void>
  /** A content for reading, which stays readable though it is removed; undefined when there is none. Close it. */
  open: (sha256: string) => Promise<FileHandle | undefined>
  /** Removes a content; one that is not there is removed already. */
  remove: (sha256: string) => Promise<void>
  /** Names of all contents, in no order. */
  names: () => AsyncGenerator<string>
  /** Removes what was not taken in to its end and was last written to before a moment. */
  tidy: (before: Date) => Promise<void>
}

/** No folder is made before it is needed. */
export function createBlobs(root: string): Blobs {
  const temporary = join(root, '.temporary')
  const pathOf = (sha256: string) => {
    if (!isName(sha256)) throw new RangeError(`${sha256} is no SHA-256`)
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

/** A content that is there already is replaced by its equal; whoever reads the old one reads on. */
async function place(from: string, to: string): Promise<void> {
  const folder = join(to, '..')
  const made = await mkdir(folder, { recursive: true })
  try {
    await rename(from, to)
  } catch (error) {
    // Done before, by an attempt that had to be repeated.
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
