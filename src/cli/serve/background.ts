import { triggerConsumer } from '../../actions/trigger/consumer.ts'
import type { Config } from '../../config.ts'
import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Pool } from '../../db/sql.ts'
import { workflowConsumer } from '../../forge/actions/workflow-events.ts'
import { mailConsumer } from '../../forge/letters/events.ts'
import { autoMergeConsumer } from '../../forge/pulls/merging/auto-merge.ts'
import { notificationConsumer } from '../../forge/watching/events.ts'
import { guardedAgents } from '../../forge/webhooks/delivery/guarded-agent.ts'
import { hookConsumer } from '../../forge/webhooks/events.ts'
import { workflowMessages } from '../../forge/webhooks/payload/messages.ts'
import type { Log } from '../../log.ts'
import { type BackgroundWorker, createAfterCommit } from './after-commit.ts'

/** Webhooks and other work that follows from events. Call `start` once the schema is up to date. */
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
  const consumers = [
    hookConsumer,
    notificationConsumer,
    triggerConsumer(workflowMessages),
    workflowConsumer(config.root),
    autoMergeConsumer,
    ...(config.mail ? [mailConsumer] : []),
  ]
  return createAfterCommit({ pool, log, sender, listens, consumers, followers })
}
