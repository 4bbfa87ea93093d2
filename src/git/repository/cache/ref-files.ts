import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../../common/errors.ts'

/** Reads refs from files: git has a file for each that has moved lately, and `packed-refs` for the others (gitrepository-layout(5)). */

export type RefKind = 'heads' | 'tags'

/** The files of refs of a kind. */
interface RefFiles {
  /** The folders in which they are, by their paths in the repository. */
  folders: string[]
  /** Their names below `refs/heads` or `refs/tags`. */
  names: string[]
}

/** @throws if there are none */
async function refFiles(directory: string, kind: RefKind): Promise<RefFiles> {
  const root = `refs/${kind}`
  const files: RefFiles = { folders: [root], names: [] }
  // The list grows while it is read.
  for (const folder of files.folders) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch((error) => {
      // Git removes folders that have become empty.
      if (folder !== root && hasCode(error, 'ENOENT')) return []
      throw error
    })
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) files.folders.push(path)
      else if (!path.endsWith('.lock')) files.names.push(path.slice(root.length + 1))
    }
  }
  return files
}

/** The number of branches or tags; undefined if the files cannot be read. */
export async function countRefs(directory: string, kind: RefKind): Promise<number | undefined> {
  try {
    // In this order: git writes a ref into `packed-refs` before it removes its file.
    const all = new Set((await refFiles(directory, kind)).names)
    const packed = await readFile(join(directory, 'packed-refs'), 'utf8').catch(absent)
    const prefix = `refs/${kind}/`
    for (const line of (packed ?? '').split('\n')) {
      const start = line.indexOf(' ') + 1
      if (line.startsWith(prefix, start)) all.add(line.slice(start + prefix.length))
    }
    return all.size
  } catch {
    return undefined
  }
}

/** The times of the folders of refs and of `packed-refs`, which change when refs move. */
export interface RefTimes {
  folders: readonly string[]
  text: string
  /** Whether the last change was so long ago that a later one would have another time. */
  isSettled: boolean
}

/** Milliseconds within which the times of two changes may be equal: file systems count in ticks of the kernel. */
const tick = 100

/** `folders`: those of an earlier call, if there may be no others. Undefined if they cannot be read. */
export async function refTimes(
  directory: string,
  kind: RefKind,
  folders?: readonly string[],
): Promise<RefTimes | undefined> {
  const began = Date.now()
  try {
    const all = folders ?? (await refFiles(directory, kind)).folders
    const times = await Promise.all([...all, 'packed-refs'].map((path) => timeOf(join(directory, path))))
    const newest = Math.max(...times.map((time) => time?.at ?? 0))
    const text = times.map((time) => time?.text ?? '').join()
    return { folders: all, text, isSettled: newest < began - tick }
  } catch {
    return undefined
  }
}

/** When a folder or file was changed last, and which one it is. */
async function timeOf(path: string): Promise<{ text: string; at: number } | undefined> {
  const status = await stat(path, { bigint: true }).catch(absent)
  return status && { text: `${status.ino}:${status.mtimeNs}:${status.size}`, at: Number(status.mtimeMs) }
}

/** Undefined for a missing file. @throws any other error */
function absent(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error
  return undefined
}
