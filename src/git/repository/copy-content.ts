import { copyFile, link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../common/errors.ts'
import { inParallel } from '../../common/in-parallel.ts'
import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { entriesOf, filesAtOnce, isPlainDirectory } from './files.ts'
import { listRefs } from './refs.ts'

/** How often packs are listed again, because git-gc(1) has replaced some meanwhile. */
const maxTries = 20

/** Gives a new repository the branches, tags and objects of another one. Faults: gone, those of git. @throws errors of the disk */
export async function copyContent(source: OpenRepository, folder: string): Promise<GitOutcome<void>> {
  // Before the objects: those that these refs need are in the source then.
  const refs = await listRefs(source)
  if (!refs.ok) return refs
  await copyObjects(source.directory, folder)
  // A repository loses its name before its files are removed or moved: files may have been missing then.
  if (!(await isPlainDirectory(source.directory))) return fault('gone', `${source.directory} does not exist`)
  const lines = refs.value.map(({ id, name }) => `${id} ${name}\n`)
  await writeFile(join(folder, 'packed-refs'), ['# pack-refs with: sorted \n', ...lines].join(''))
  return done(undefined)
}

/**
 * Shares the object files of a repository with a new one by hard links, or copies them where there are none: git never
 * changes such a file, and removes only its own name of it. All objects that were in the source at the beginning are in the
 * copy, also while git-gc(1) moves them: from loose files into packs, so that packs come last, and from packs into a pack
 * that exists before they are removed. @throws errors of the file system
 */
async function copyObjects(source: string, target: string): Promise<void> {
  const [from, to] = [join(source, 'objects'), join(target, 'objects')]
  const folders = (await entriesOf(from)).filter(({ name }) => /^[0-9a-f]{2}$/.test(name))
  for (const { name } of folders) {
    const files = await filesIn(join(from, name), /^[0-9a-f]{38,62}$/)
    if (files.length > 0) await mkdir(join(to, name))
    await inParallel(filesAtOnce, files, (file) => share(join(from, name, file), join(to, name, file)))
  }
  for (let tries = 1; !(await sharePacks(join(from, 'pack'), join(to, 'pack'))); tries++)
    if (tries === maxTries) throw new Error(`the packs of ${source} are replaced again and again`)
}

/** False if one of the packs was removed meanwhile. */
async function sharePacks(from: string, to: string): Promise<boolean> {
  const packs = (await filesIn(from, /^pack-[0-9a-f]+\.idx$/)).map((name) => name.slice(0, -'idx'.length))
  for (const pack of packs) {
    if (!(await share(join(from, `${pack}pack`), join(to, `${pack}pack`)))) return false
    // Git reads a pack when its index is there, and is complete without a reverse index.
    await share(join(from, `${pack}rev`), join(to, `${pack}rev`))
    if (await share(join(from, `${pack}idx`), join(to, `${pack}idx`))) continue
    await rm(join(to, `${pack}pack`))
    return false
  }
  return true
}

async function filesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await entriesOf(folder)
  return entries.filter((entry) => entry.isFile() && pattern.test(entry.name)).map(({ name }) => name)
}

/** False if there is no such file. */
async function share(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch(async (error: unknown) => {
      if (hasCode(error, 'EEXIST')) return
      // The file system has no links, or no more of this file.
      if (!hasCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS')) throw error
      await copyFile(from, to)
    })
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
