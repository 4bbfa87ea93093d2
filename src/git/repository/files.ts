import type { Dirent } from 'node:fs'
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'
import { inParallel } from '../../common/in-parallel.ts'

/** How many files and directories are read or written at a time. */
export const filesAtOnce = 16

/** The kind of the entry at a path; a symbolic link is `other` and is not followed. */
export async function kindOf(path: string): Promise<'directory' | 'file' | 'other' | 'nothing'> {
  try {
    const status = await lstat(path)
    return status.isDirectory() ? 'directory' : status.isFile() ? 'file' : 'other'
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return 'nothing'
    throw error
  }
}

/** A directory in a directory; neither is a symbolic link. */
export async function isPlainDirectory(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'directory' && (await kindOf(dirname(path))) === 'directory'
}

/** `sync` for a directory and everything below it. */
export async function syncTree(folder: string): Promise<void> {
  const paths = [folder]
  await walk(folder, async (path, entry) => {
    if (entry.isDirectory() || entry.isFile()) paths.push(path)
  })
  await inParallel(filesAtOnce, paths, sync)
}

/** Creates directories and files (path → content) below `folder`, which must not exist yet. */
export async function writeTree(
  folder: string,
  directories: readonly string[],
  files: Readonly<Record<string, string>>,
) {
  await mkdir(folder)
  for (const name of directories) await mkdir(join(folder, name))
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), content, { flag: 'wx' })
}

/** Total bytes of all files below a directory. Files that disappear meanwhile are not counted. */
export async function treeBytes(folder: string): Promise<number> {
  let bytes = 0
  await walk(folder, async (path, entry) => {
    if (!entry.isFile()) return
    const status = await lstat(path).catch(() => undefined)
    bytes += status?.size ?? 0
  })
  return bytes
}

/**
 * Whether a directory is, or contains, anything other than directories and files: a symbolic link, socket or device.
 */
export async function containsOther(folder: string): Promise<boolean> {
  if ((await kindOf(folder)) !== 'directory') return true
  let hasOther = false
  await walk(folder, async (_, entry) => {
    hasOther ||= !entry.isDirectory() && !entry.isFile()
  })
  return hasOther
}

/** Visits everything below a directory, parents first; follows no links. */
async function walk(folder: string, visit: (path: string, entry: Dirent) => Promise<void>): Promise<void> {
  let level = [folder]
  while (level.length > 0) {
    const next: string[] = []
    await inParallel(filesAtOnce, level, async (directory) => {
      for (const entry of await entriesOf(directory)) {
        const path = join(directory, entry.name)
        if (entry.isDirectory()) next.push(path)
        await visit(path, entry)
      }
    })
    level = next
  }
}

/** Entries of a directory; none if it does not exist or is not a directory. */
export async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

/** Removes the entries of a directory, or only those last changed before a time; returns their number. */
export async function removeEntries(folder: string, before?: Date): Promise<number> {
  let removed = 0
  for (const { name } of await entriesOf(folder)) {
    const path = join(folder, name)
    if (before && !(await isOlder(path, before))) continue
    await rm(path, { recursive: true, force: true })
    removed++
  }
  return removed
}

/** Whether the entry at a path was last changed before a time; false if it no longer exists. */
async function isOlder(path: string, moment: Date): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined)
  return status !== undefined && status.mtime < moment
}
