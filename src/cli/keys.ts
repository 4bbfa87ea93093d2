import { rm } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { makeSecretKeys, readSecretKeys, secretKeyFile } from '../db/encryption/secret-key.ts'
import { checkSecretKeys, SecretKeyError } from '../db/encryption/secret-key-check.ts'
import { createSecrets, type Secrets } from '../db/encryption/secrets.ts'
import type { Pool } from '../db/sql.ts'
import { messageOf } from '../errors.ts'
import { encryptedColumns } from '../forge/accounts/encrypted-columns.ts'
import { SetupError } from './command.ts'

/** What secrets in the database are encrypted with. */
export interface OpenedKeys {
  secrets: Secrets
  /** Whether this process has just made the key, because there was none. */
  isNew: boolean
}

/**
 * `SECRET_KEY`, else the keys that `DATA_DIR` keeps; where there are none, a key is made there.
 * @throws ObstacleError when none can be kept
 */
export async function openKeys(config: Config): Promise<OpenedKeys> {
  try {
    const secrets = await readKeys(config)
    return secrets
      ? { secrets, isNew: false }
      : { secrets: createSecrets(await makeSecretKeys(config.dataDir)), isNew: true }
  } catch (error) {
    throw new SetupError(`SECRET_KEY is not set, and no key can be kept in DATA_DIR: ${messageOf(error)}`)
  }
}

/** As `openKeys`, but makes none. */
async function readKeys({ secretKeys, dataDir }: Config): Promise<Secrets | undefined> {
  const keys = secretKeys ?? (await readSecretKeys(dataDir))
  return keys && createSecrets(keys)
}

/** Hears one sentence about what cannot be read, with its kind and number. */
export type ReportUnreadable = (message: string, facts: { what: string; count: number }) => void

interface Means {
  pool: Pool
  config: Config
  clock: () => Date
  report: ReportUnreadable
}

/**
 * Makes sure that these are the keys of the database and reports what they cannot read. A key that was made for this start
 * is removed again when it is not: the former one may come back to its place.
 * @throws SecretKeyError
 */
export async function checkKeys(means: Means, { secrets, isNew }: OpenedKeys): Promise<void> {
  try {
    await check(means, secrets)
  } catch (error) {
    if (isNew && error instanceof SecretKeyError)
      await rm(secretKeyFile(means.config.dataDir), { force: true })
    throw error
  }
}

/**
 * The keys for a command, which makes one only when it has something to encrypt. Those that are there are checked at once.
 * @throws SecretKeyError, and ObstacleError as `openKeys`
 */
export async function keysForCommand(means: Means): Promise<() => Promise<Secrets>> {
  const secrets = await readKeys(means.config)
  await check(means, secrets)
  return async () => {
    if (secrets) return secrets
    const opened = await openKeys(means.config)
    await checkKeys(means, opened)
    return opened.secrets
  }
}

async function check({ pool, config, clock, report }: Means, secrets: Secrets | undefined): Promise<void> {
  const acceptsLoss = config.secretKeyIsLost
  const unreadable = await checkSecretKeys({ pool, secrets, columns: encryptedColumns, acceptsLoss, clock })
  for (const [what, count] of Object.entries(unreadable))
    report('encrypted with a key that SECRET_KEY does not hold', { what, count })
}
