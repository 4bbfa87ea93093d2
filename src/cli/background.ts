import { triggerConsumer } from '../actions/trigger/consumer.ts'
import { type BackgroundWorker, createAfterCommit } from '../after-commit.ts'
import type { Config } from '../config.ts'
import { secretKeysIn } from '../db/encryption/secret-key.ts'
import { createSecrets, type Secrets } from '../db/encryption/secrets.ts'
import type { Pool } from '../db/sql.ts'
import { messageOf } from '../errors.ts'
import { workflowConsumer } from '../forge/actions/workflow-hooks.ts'
import { notificationConsumer } from '../forge/notifications/events.ts'
import { guardedAgents } from '../forge/webhooks/delivery/guarded-agent.ts'
import { hookConsumer } from '../forge/webhooks/events.ts'
import type { Log } from '../log.ts'
import { SetupError } from './command.ts'

/**
 * What secrets in the database are encrypted with: `SECRET_KEY`, else the key that `DATA_DIR` keeps.
 * @throws ObstacleError when there is neither and none can be kept
 */
export async function openSecrets({ secretKeys, dataDir }: Config): Promise<Secrets> {
  if (secretKeys) return createSecrets(secretKeys)
  try {
    return createSecrets(await secretKeysIn(dataDir))
  } catch (error) {
    throw new SetupError(`SECRET_KEY is not set, and no key can be kept in DATA_DIR: ${messageOf(error)}`)
  }
}

/** Webhooks, and whatever else follows from events: begins with `start`, once the schema is there. */
export function createBackgroundWork(parts: {
  config: Config
  version: string
  pool: Pool
  clock: () => Date
  log: Log
  secrets: Secrets
  followers: readonly BackgroundWorker[]
}) {
  const { config, version, pool, clock, log, secrets, followers } = parts
  const sender = {
    agents: guardedAgents(config.webhookHosts),
    secrets,
    timeout: config.webhookTimeout,
    agent: `Forgehall/${version}`,
    clock,
  }
  const listens = config.databaseUrl !== undefined
  const consumers = [hookConsumer, notificationConsumer, triggerConsumer, workflowConsumer(config.root)]
  return createAfterCommit({ pool, log, sender, listens, consumers, followers })
}
