import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode, OperatorError } from './errors.ts'

/** The owner may read, write and enter; all others have no permission. */
const ownerOnly = 0o700

/** The permission bits of group and others. */
const others = 0o077

/**
 * Creates `DATA_DIR` and missing parent folders with mode 0700. An existing folder gets that mode too, unless another
 * user owns it or its file system has no modes; `isOpenToOthers` tells afterwards.
 * @throws Error of the file system, naming the path
 */
export async function secureDataDir(folder: string): Promise<void> {
  await makeFolder(folder)
  if (!(await isOpenToOthers(folder))) return
  try {
    await chmod(folder, ownerOnly)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EROFS')) throw error
  }
}

/** Whether other users of the machine may read or enter the folder. Windows has no such modes. */
export async function isOpenToOthers(folder: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(folder)).mode & others) !== 0
}

/** @throws OperatorError when root would write into a folder of another user, who could not use the files */
export async function forbidRootInForeign(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const owner = (await stat(folder).catch(() => undefined))?.uid ?? 0
  if (owner === 0) return
  throw new OperatorError(
    `${folder} belongs to the user with the id ${owner}, who could not use files of root: run this as that user`,
  )
}

/**
 * Creates one folder at a time: `mkdir` with `recursive` never returns where the parent exists and a folder still
 * cannot be created in it, as in `/proc` (Node 20).
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await makeOne(path)
  }
}

/** Leaves an existing folder as it is. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: ownerOnly })
  } catch (error) {
    const exists = hasCode(error, 'EEXIST') && (await stat(path).catch(() => undefined))?.isDirectory()
    if (!exists) throw error
  }
}
