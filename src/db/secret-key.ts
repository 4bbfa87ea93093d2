import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../codes.ts'

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
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const beside = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(beside, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await file.sync()
    await file.close()
    await chmod(beside, 0o600)
    await link(beside, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await unlink(beside)
  }
  return await readFile(path, 'utf8')
}
