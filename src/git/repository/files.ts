import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../errors.ts'
import { sync } from '../../fsync.ts'

/** Directories read at one time. */
const atOnce = 16

/** Runs `work` over all items, a bounded number at a time. */
export async function eachOf<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** What lies at a path itself: a symbolic link is `other`, never followed. */
export async function kindOf(path: string): Promise<'directory' | 'file' | 'other' | 'nothing'> {
  try {
    const found = await lstat(path)
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other'
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return 'nothing'
    throw error
  }
}

/** `sync` for a directory and all below it. */
export async function syncTree(folder: string): Promise<void> {
  const paths = [folder]
  await walk(folder, async (path) => {
    paths.push(path)
  })
  await eachOf(paths, sync)
}

/** Makes directories and files (path → content) below `folder`, which must not be there yet. */
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

/** Bytes of all files below a directory. What vanishes meanwhile counts nothing. */
export async function treeBytes(folder: string): Promise<number> {
  let bytes = 0
  await walk(folder, async (path, isFile) => {
    if (!isFile) return
    const found = await lstat(path).catch(() => undefined)
    bytes += found?.size ?? 0
  })
  return bytes
}

/** Whether a directory, or anything below it, is neither directory nor file: a symbolic link, a socket, a device. */
export async function holdsOther(folder: string): Promise<boolean> {
  let level = [folder]
  if ((await kindOf(folder)) !== 'directory') return true
  while (level.length > 0) {
    const next: string[] = []
    let isFound = false
    await eachOf(level, async (directory) => {
      for (const entry of await entriesOf(directory)) {
        if (entry.isDirectory()) next.push(join(directory, entry.name))
        else if (!entry.isFile()) isFound = true
      }
    })
    if (isFound) return true
    level = next
  }
  return false
}

/** Visits all directories and files below one, parents first; links are not followed and not visited. */
async function walk(folder: string, visit: (path: string, isFile: boolean) => Promise<void>): Promise<void> {
  let level = [folder]
  while (level.length > 0) {
    const next: string[] = []
    await eachOf(level, async (directory) => {
      for (const entry of await entriesOf(directory)) {
        const path = join(directory, entry.name)
        if (entry.isDirectory()) next.push(path)
        if (entry.isDirectory() || entry.isFile()) await visit(path, entry.isFile())
      }
    })
    level = next
  }
}

/** Entries of a directory; none when it is gone or no directory. */
export async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

/** Empties a directory, or takes out what was last changed before a moment; gives how many entries. */
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

/** Whether what lies at a path was last changed before a moment; what has gone meanwhile was not. */
async function isOlder(path: string, moment: Date): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found !== undefined && found.mtime < moment
}
