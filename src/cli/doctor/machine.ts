import { constants } from 'node:fs'
import { access, lstat, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stagingFolder } from '../../backup/staging.ts'
import { isOpenToOthers } from '../../common/data-dir.ts'
import { hasCode, messageOf } from '../../common/errors.ts'
import type { Config } from '../../config.ts'
import { createGit } from '../../git/program/git.ts'
import { entriesOf, kindOf } from '../../git/repository/files.ts'
import { sizeText } from '../archive/progress.ts'
import { type Finding, failed, ok, someOf, warning } from './finding.ts'
import { checkMail } from './mail.ts'

/** Free bytes of the disk below which the check fails, or warns. */
const minFree = { failed: 100e6, warning: 1e9 }

/** Checks of this machine and of the settings, without the database. */
export async function checkMachine(config: Config): Promise<Finding[]> {
  const mail = config.mail ? [await checkMail(config.mail)] : []
  return [
    settings(config),
    ok('node', process.version),
    await git(),
    ...(await dataDir(config.dataDir)),
    ...mail,
  ]
}

/** Invalid settings end every command before it begins, so this only checks `PUBLIC_URL`. */
function settings({ isRootSet, root }: Config): Finding {
  if (isRootSet) return ok('settings', `reached at ${root}`)
  return warning(
    'settings',
    'PUBLIC_URL is not set',
    'set it to the address at which clients reach the server',
  )
}

/** Git gets a temporary home, because the one in `DATA_DIR` may not exist. */
async function git(): Promise<Finding> {
  const home = await mkdtemp(join(tmpdir(), 'forgehall-doctor-'))
  const program = createGit({ home })
  const version = await program.check().finally(() => program.close())
  await rm(home, { recursive: true, force: true })
  if (version.usable) return ok('git', version.sentence)
  return failed(
    'git',
    version.sentence,
    'install git 2.34 or newer, and check that it is on the PATH of the server',
  )
}

async function dataDir(folder: string): Promise<Finding[]> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const advice = hasCode(error, 'ENOENT')
      ? 'set DATA_DIR to the folder of the server; its first start creates it'
      : 'make the user of the server its owner'
    return [failed('data folder', messageOf(error), advice)]
  }
  return [await permissions(folder), await disk(folder), await restoreIn(folder)]
}

async function permissions(folder: string): Promise<Finding> {
  const { uid } = await stat(folder)
  if (await isOpenToOthers(folder))
    return failed('data folder', `other users may enter ${folder}`, `chmod 700 ${folder}`)
  const foreign = await foreignIn(folder, uid)
  if (foreign.length > 0)
    return failed(
      'data folder',
      `${foreign.length} files belong to another user than ${folder}: ${someOf(foreign)}`,
      `chown -R ${uid} ${folder}, and run commands as that user`,
    )
  const user = process.getuid?.()
  if (user !== undefined && user !== uid && user !== 0)
    return warning('data folder', `${folder} belongs to user ${uid}`, 'run this as the user of the server')
  return ok('data folder', folder)
}

/** Maximum entries of one top-level folder that are checked: the objects of all repositories may be many millions. */
const maxChecked = 100_000

/**
 * Entries of `DATA_DIR` that do not belong to its user, such as those that a command of root has written; of a folder only
 * itself, not the entries below it.
 */
async function foreignIn(root: string, uid: number): Promise<string[]> {
  const foreign: string[] = []
  for (const { name } of await entriesOf(root)) {
    let checked = 0
    const paths = [name]
    for (let path = paths.pop(); path !== undefined && checked < maxChecked; path = paths.pop()) {
      checked++
      const status = await lstat(join(root, path)).catch(() => undefined)
      if (status && status.uid !== uid) foreign.push(path)
      else if (status?.isDirectory()) paths.push(...(await pathsIn(root, path)))
    }
  }
  return foreign
}

const pathsIn = async (root: string, folder: string) =>
  (await entriesOf(join(root, folder))).map(({ name }) => join(folder, name))

async function disk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const found = `${sizeText(free)} free`
  const advice = 'free some space: pushes, uploads and the database fail when the disk is full'
  if (free < minFree.failed) return failed('disk', found, advice)
  return free < minFree.warning ? warning('disk', found, advice) : ok('disk', found)
}

async function restoreIn(folder: string): Promise<Finding> {
  if ((await kindOf(stagingFolder(folder))) === 'nothing') return ok('restore', 'no unfinished restore')
  return failed('restore', 'a restore was not finished', 'run "forgehall restore" again')
}
