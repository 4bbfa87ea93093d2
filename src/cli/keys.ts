import { rm } from 'node:fs/promises'
import { messageOf } from '../common/errors.ts'
import type { Config } from '../config.ts'
import { makeSecretKeys, readSecretKeys, secretKeyFile } from '../db/encryption/secret-key.ts'
import { checkSecretKeys, SecretKeyError } from '../db/encryption/secret-key-check.ts'
import { createSecrets, type Secrets } from '../db/encryption/secrets.ts'
import type { Pool } from '../db/sql.ts'
import { encryptedColumns } from '../forge/encrypted-columns.ts'
import { SetupError } from './command.ts'

/** The keys for secrets in the database. */
interface OpenedKeys {
  secrets: Secrets
  /** Whether this process has just created the key because there was none. */
  isNew: boolean
}

/**
 * Reads `SECRET_KEY`, else the keys in `DATA_DIR`; creates one there if there is none.
 * @throws SetupError when the key cannot be stored
 */
export async function openKeys(config: Config): Promise<OpenedKeys> {
  try {
    const secrets = await readKeys(config)
    return secrets
      ? { secrets, isNew: false }
      : { secrets: createSecrets(await makeSecretKeys(config.dataDir)), isNew: true }
  } catch (error) {
    throw new SetupError(
      `SECRET_KEY is not set, and the server cannot keep a key in DATA_DIR: ${messageOf(error)}`,
    )
  }
}

/** Like `openKeys`, but creates no key. */
export async function readKeys({ secretKeys, dataDir }: Config): Promise<Secrets | undefined> {
  const keys = secretKeys ?? (await readSecretKeys(dataDir))
  return keys && createSecrets(keys)
}

/** Reports secrets that cannot be decrypted, by kind and number. */
export type ReportUnreadable = (message: string, facts: { what: string; count: number }) => void

interface KeyCheckDeps {
  pool: Pool
  config: Config
  clock: () => Date
  report: ReportUnreadable
}

/**
 * Checks that these are the keys of the database and reports what they cannot decrypt. If the check fails, removes a
 * key created by this start, so that the former one can be restored.
 * @throws SecretKeyError
 */
export async function checkKeys(deps: KeyCheckDeps, { secrets, isNew }: OpenedKeys): Promise<void> {
  try {
    await check(deps, secrets)
  } catch (error) {
    if (isNew && error instanceof SecretKeyError)
      await rm(secretKeyFile(deps.config.dataDir), { force: true })
    throw error
  }
}

/**
 * The keys for a command, which creates one only when it has something to encrypt. Existing keys are checked at once.
 * @throws SecretKeyError, and SetupError as `openKeys`
 */
export async function keysForCommand(deps: KeyCheckDeps): Promise<() => Promise<Secrets>> {
  const secrets = await readKeys(deps.config)
  await check(deps, secrets)
  return async () => {
    if (secrets) return secrets
    const opened = await openKeys(deps.config)
    await checkKeys(deps, opened)
    return opened.secrets
  }
}

async function check(
  { pool, config, clock, report }: KeyCheckDeps,
  secrets: Secrets | undefined,
): Promise<void> {
  const acceptsLoss = config.secretKeyIsLost
  const unreadable = await checkSecretKeys({ pool, secrets, columns: encryptedColumns, acceptsLoss, clock })
  for (const [what, count] of Object.entries(unreadable))
    report('encrypted with a key that SECRET_KEY does not hold', { what, count })
}
