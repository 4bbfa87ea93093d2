import type { Consumer } from '../../src/background/outbox.ts'
import { type BackgroundWorker, createAfterCommit } from '../../src/cli/serve/after-commit.ts'
import type { Secrets } from '../../src/db/encryption/secrets.ts'
import type { Pool } from '../../src/db/sql.ts'
import { parseAllowedHosts } from '../../src/forge/webhooks/delivery/allowed-hosts.ts'
import type { DispatchOptions } from '../../src/forge/webhooks/delivery/dispatch.ts'
import { guardedAgents } from '../../src/forge/webhooks/delivery/guarded-agent.ts'
import { hookConsumer } from '../../src/forge/webhooks/events.ts'
import { createLog, type Log } from '../../src/log.ts'
import type { StoppedClock } from './clock.ts'
import { onServer } from './database.ts'
import { testSecrets } from './forge/make.ts'
import { keepLines } from './sink.ts'

/** What deliveries stand on in a test. */
interface Parts {
  pool: Pool
  clock: StoppedClock
  secrets?: Secrets
  log?: Log
}

/** How they go out; `hosts` as `WEBHOOK_ALLOWED_HOSTS`. */
export type YardOptions = Partial<DispatchOptions> & {
  timeout?: number
  hosts?: string
  consumers?: Consumer[]
  followers?: BackgroundWorker[]
}

/** Where nobody looks what was logged. */
const unread = createLog('debug', keepLines())

/** Runs the deliveries of one process until it is stopped; several of them are several processes to each other. */
export function startBackground(
  { pool, clock, secrets = testSecrets, log = unread }: Parts,
  options: YardOptions = {},
) {
  const {
    hosts = 'loopback',
    timeout = 5_000,
    consumers = [hookConsumer],
    followers = [],
    ...dispatch
  } = options
  const parsed = parseAllowedHosts(hosts)
  if (!parsed.ok) throw new Error(parsed.fault)
  const agents = guardedAgents(parsed.value)
  const sender = { agents, secrets, timeout, agent: 'Forgehall/test', clock: clock.now }
  const parts = { pool, log, sender, listens: onServer, consumers, followers }
  const background = createAfterCommit(parts, { poll: 20, ...dispatch })
  background.start()
  return background
}
