import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secureDataDir } from '../../common/data-dir.ts'
import { hasCode } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'

/** Minimum characters of a key: anything shorter is a password, not a key. */
const minLength = 32

/** Parses `SECRET_KEY`, keys separated by commas: the first encrypts, all decrypt. Undefined if one is too short. */
export function parseSecretKeys(text: string): Keys | undefined {
  const [first, ...others] = text.split(',').map((key) => key.trim())
  if (first === undefined || [first, ...others].some((key) => key.length < minLength)) return undefined
  return [first, ...others]
}

type Keys = readonly [string, ...string[]]

/** The file in `DATA_DIR` with the keys, one per line. */
export const secretKeyFile = (dataDir: string) => join(dataDir, 'secret.key')

/**
 * The keys in `secret.key` of this folder; undefined if there is no such file.
 * @throws Error when the file contains no valid key
 */
export async function readSecretKeys(dataDir: string): Promise<Keys | undefined> {
  const path = secretKeyFile(dataDir)
  const text = await readIfPresent(path)
  return text === undefined ? undefined : keysOf(text, path)
}

/**
 * Creates a key in `secret.key` of this folder, readable only by its owner. If several processes start together, all
 * get the same key.
 * @throws Error when another process has created a file without a valid key
 */
export async function makeSecretKeys(dataDir: string): Promise<Keys> {
  const path = secretKeyFile(dataDir)
  return keysOf(await make(dataDir, path), path)
}

function keysOf(text: string, path: string): Keys {
  const keys = parseSecretKeys(text.trim().replaceAll('\n', ','))
  if (!keys)
    throw new Error(`${path} is damaged: it must hold keys of at least ${minLength} characters, one per line`)
  return keys
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Writes a temporary file and links it into place, so that no reader sees half a key and no key is overwritten. */
async function make(dataDir: string, path: string): Promise<string> {
  await secureDataDir(dataDir)
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const text = `${randomBytes(32).toString('base64url')}\n`
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600, flush: true })
    await link(temporary, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  // Sync the folder before the key is used: if the name were lost, the next start would create another key.
  await sync(dataDir)
  return await readFile(path, 'utf8')
}
