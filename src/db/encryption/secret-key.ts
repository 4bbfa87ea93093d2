import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secureDataDir } from '../../data-dir.ts'
import { hasCode } from '../../errors.ts'
import { sync } from '../../fsync.ts'

/** Fewer characters than this are a password and no key. */
const fewest = 32

/** The keys of `SECRET_KEY`, separated by commas: the first seals, all of them open. Undefined when one is too short. */
export function parseSecretKeys(text: string): Keys | undefined {
  const [first, ...others] = text.split(',').map((key) => key.trim())
  if (first === undefined || [first, ...others].some((key) => key.length < fewest)) return undefined
  return [first, ...others]
}

type Keys = readonly [string, ...string[]]

/** Where `DATA_DIR` keeps keys, one a line. */
export const secretKeyFile = (dataDir: string) => join(dataDir, 'secret.key')

/**
 * The keys in `secret.key` of this folder; undefined where there is no such file.
 * @throws Error when the file holds no key
 */
export async function readSecretKeys(dataDir: string): Promise<Keys | undefined> {
  const path = secretKeyFile(dataDir)
  const text = await readIfThere(path)
  return text === undefined ? undefined : keysOf(text, path)
}

/**
 * Makes a key in `secret.key` of this folder, readable by nobody else. Of several processes that start together all get the
 * same.
 * @throws Error when another process has made a file that holds no key
 */
export async function makeSecretKeys(dataDir: string): Promise<Keys> {
  const path = secretKeyFile(dataDir)
  return keysOf(await make(dataDir, path), path)
}

function keysOf(text: string, path: string): Keys {
  const keys = parseSecretKeys(text.trim().replaceAll('\n', ','))
  if (!keys)
    throw new Error(`${path} is damaged: it must hold keys of at least ${fewest} characters, one a line`)
  return keys
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Written beside and linked into place: at no moment is there half a key, and nobody's key is overwritten. */
async function make(dataDir: string, path: string): Promise<string> {
  await secureDataDir(dataDir)
  const beside = `${path}.${randomBytes(6).toString('hex')}`
  const text = `${randomBytes(32).toString('base64url')}\n`
  try {
    await writeFile(beside, text, { flag: 'wx', mode: 0o600, flush: true })
    await link(beside, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await rm(beside, { force: true })
  }
  // Nothing may be sealed before the name is on the disk: without it the next start would make another key.
  await sync(dataDir)
  return await readFile(path, 'utf8')
}
