import { randomUUID } from 'node:crypto'
import { access, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeChunks } from '../../backup/streams.ts'
import { hasCode, isDiskFull, messageOf } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'
import { acquireLock, LockedError } from '../../db/lock.ts'
import { SetupError, UsageError } from '../command.ts'

/**
 * Writes a file that exists as a whole or not at all: in the folder `<path>.partial`, which one process holds at a time,
 * until all of it is on the disk. The next backup to the same file removes leftovers of a killed process.
 * @throws UsageError when the file exists, another process writes it, or the folder cannot be made; SetupError when the
 *   disk is full; errors of the file system and of `chunks`
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  try {
    const folder = await folderFor(path)
    const lock = await lockFor(path, folder)
    try {
      return await writeIn(folder, path, chunks)
    } finally {
      await rm(folder, { recursive: true, force: true })
      await lock.release()
    }
  } catch (error) {
    throw isDiskFull(error) ? new SetupError(`${path} cannot be written: ${messageOf(error)}`) : error
  }
}

/** Names of files that a backup makes in its folder. */
const backupEntries = /^(?:lock|[0-9a-f-]{36})$/

/** A new folder, or that of a killed backup, whose files are removed. */
async function folderFor(path: string): Promise<string> {
  const folder = `${path}.partial`
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    const status = await lstat(folder)
    const isOwner = status.isDirectory() && status.uid === (process.getuid?.() ?? status.uid)
    if (!isOwner || !(await readdir(folder)).every((name) => backupEntries.test(name)))
      throw new UsageError(`${folder} is in the way; remove it, or choose another name`)
  }
  return folder
}

async function lockFor(path: string, folder: string) {
  try {
    return await acquireLock(folder)
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new UsageError(`another backup is writing ${path}; choose another name`)
  }
}

async function writeIn(folder: string, path: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  if (await exists(path)) throw existsAlready(path)
  for (const left of await readdir(folder)) if (left !== 'lock') await rm(join(folder, left))
  // A random name: a holder that was suspended and lost the folder meanwhile finds that its file is missing.
  const partial = join(folder, randomUUID())
  const size = await writeDurably(partial, chunks)
  await place(partial, path)
  await sync(dirname(path))
  return size
}

async function writeDurably(path: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    const size = await writeChunks(file, chunks)
    await file.sync()
    return size
  } finally {
    await file.close()
  }
}

/** Gives a file its name, unless that exists. Some file systems have no links, such as those of USB sticks. */
async function place(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw new SetupError(`${partial} was removed before it was complete`)
    if (hasCode(error, 'EEXIST') || (await exists(path))) throw existsAlready(path)
    await rename(partial, path)
  }
}

const existsAlready = (path: string) => new UsageError(`${path} exists already; choose another name`)

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
