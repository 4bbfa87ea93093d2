import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../../errors.ts'

/**
 * When refs have moved, as far as files say: git keeps a file for each that has moved lately, and `packed-refs` for the
 * others (gitrepository-layout(5)).
 */

export type RefKind = 'heads' | 'tags'

/** The folders in which files of refs are, by their paths in the repository. @throws if there are none */
async function refFolders(directory: string, kind: RefKind): Promise<string[]> {
  const root = `refs/${kind}`
  const folders = [root]
  // The list grows while it is read.
  for (const folder of folders) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch((error) => {
      // Git removes folders that have become empty.
      if (folder !== root && hasCode(error, 'ENOENT')) return []
      throw error
    })
    folders.push(...entries.flatMap((entry) => (entry.isDirectory() ? [`${folder}/${entry.name}`] : [])))
  }
  return folders
}

/** What tells whether refs have moved: the times of the folders of their files and of `packed-refs`. */
export interface RefTimes {
  folders: readonly string[]
  text: string
  /** Whether the last change was so long ago that a later one would have another time. */
  isSettled: boolean
}

/** Milliseconds within which the times of two changes may be equal: file systems count in ticks of the kernel. */
const tick = 100

/** `folders`: those of an earlier reading, if they may still be all. Undefined where they cannot be read. */
export async function refTimes(
  directory: string,
  kind: RefKind,
  folders?: readonly string[],
): Promise<RefTimes | undefined> {
  const began = Date.now()
  try {
    const all = folders ?? (await refFolders(directory, kind))
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
  const found = await stat(path, { bigint: true }).catch(absent)
  return found && { text: `${found.ino}:${found.mtimeNs}:${found.size}`, at: Number(found.mtimeMs) }
}

/** @throws what is not the lack of a file */
function absent(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error
  return undefined
}
