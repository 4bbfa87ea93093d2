import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secureDataDir } from '../../data-dir.ts'
import { hasCode } from '../../errors.ts'
import { sync } from '../../fsync.ts'

/** Fewer characters than this are a password and no key. */
const fewest = 32

/** The keys of `SECRET_KEY`, separated by commas: the first seals, all of them open. Undefined when one is too short. */
export function parseSecretKeys(text: string): readonly [string, ...string[]] | undefined {
  const [first, ...others] = text.split(',').map((key) => key.trim())
  if (first === undefined || [first, ...others].some((key) => key.length < fewest)) return undefined
  return [first, ...others]
}

/**
 * The keys in `secret.key` of this folder; made at the first start, readable by nobody else. Of several processes that
 * start together all get the same.
 * @throws Error when the file holds no key
 */
export async function secretKeysIn(dataDir: string): Promise<readonly [string, ...string[]]> {
  const path = join(dataDir, 'secret.key')
  const text = (await readIfThere(path)) ?? (await make(dataDir, path))
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
