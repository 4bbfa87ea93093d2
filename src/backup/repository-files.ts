import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../common/errors.ts'
import { entriesOf } from '../git/repository/files.ts'
import { isRepositoryFile } from './archive.ts'
import type { ArchiveWriter } from './writer.ts'

/** Maximum number of times that the objects are listed: git may pack some of them meanwhile. */
const maxListings = 5

/**
 * Adds the files of a bare repository while git may change it. Refs come first: objects are only added meanwhile, or
 * packed with others, so every ref leads to objects that are there. Loose refs come before `packed-refs`, into which
 * git moves them. Returns false when the repository was moved or removed meanwhile.
 */
export async function addRepository(
  archive: ArchiveWriter,
  prefix: string,
  folder: string,
): Promise<boolean> {
  const add = (path: string) => addFile(archive, `${prefix}/${path}`, join(folder, path))
  for await (const path of filesIn(folder, 'refs')) await add(path)
  for (const path of ['packed-refs', 'description', 'shallow', 'config']) await add(path)
  for await (const path of filesIn(folder, 'info')) await add(path)
  if (!(await addObjects(folder, add))) return false
  return await add('HEAD')
}

/** Adds a pack before its index: git ignores a pack without an index. */
async function addObjects(folder: string, add: (path: string) => Promise<boolean>): Promise<boolean> {
  const added = new Set<string>()
  for (let listing = 0; listing < maxListings; listing++) {
    let isComplete = true
    const paths: string[] = []
    for await (const path of filesIn(folder, 'objects')) if (!added.has(path)) paths.push(path)
    for (const path of paths.toSorted(packsFirst)) {
      if (await add(path)) added.add(path)
      else isComplete = false
    }
    if (isComplete) return true
  }
  return false
}

const packsFirst = (a: string, b: string) => Number(b.endsWith('.pack')) - Number(a.endsWith('.pack'))

/** Relative paths of the files below a folder of a repository that belong into a backup; links are skipped. */
async function* filesIn(root: string, folder: string): AsyncGenerator<string> {
  for (const entry of await entriesOf(join(root, folder))) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesIn(root, path)
    else if (entry.isFile() && isRepositoryFile(path)) yield path
  }
}

/** False if there is no such file, or it is a link. */
async function addFile(archive: ArchiveWriter, name: string, path: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined
    throw error
  })
  if (!file) return false
  try {
    await archive.addFile(name, file, (await file.stat()).size)
    return true
  } finally {
    await file.close()
  }
}
