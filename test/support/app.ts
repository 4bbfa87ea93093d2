import { after } from 'node:test'
import { type App, createApp } from '../../src/app.ts'
import { type Config, configure } from '../../src/config.ts'
import type { Pool } from '../../src/db/sql.ts'
import type { Passwords } from '../../src/forge/auth/password.ts'
import { malformedReporter } from '../../src/http/listener/malformed.ts'
import { createHttpServer, listen, stop } from '../../src/http/listener/server.ts'
import { createLog } from '../../src/log.ts'
import { type Client, clientOf } from './client.ts'
import { type StoppedClock, stoppedClock } from './clock.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { temporaryFolder } from './folder.ts'
import { cheapPasswords, makersFor, testSecrets } from './forge/make.ts'
import { type KeptLines, keepLines } from './sink.ts'
import { noteStatus } from './suite/answered.ts'

/** A real server on a free port, over a database of its own, with a stopped clock. */
export interface TestApp {
  /** `http://127.0.0.1:port`, without a slash. */
  url: string
  app: App
  /** Calls an operation by its literal and holds the reply against its declaration. */
  call: Client
  pool: Pool
  database: TestDatabase
  clock: StoppedClock
  log: KeptLines
  /** Makes accounts and what they own in the database. */
  make: ReturnType<typeof makersFor>
}

/** Environment variables beside the tests' own. */
export type Settings = Partial<Record<string, string>>

/** Starts an app with a data folder of its own for the tests of this file and stops it after them. */
export async function startApp(settings: Settings = {}): Promise<TestApp> {
  const database = await openTestDatabase()
  const started = await serveApp(database, { DATA_DIR: await temporaryFolder(), ...settings })
  after(async () => {
    await started.close()
    await database.close()
  })
  return started
}

/** An app over a database that somebody else closes; several of them are several processes to each other. */
export async function serveApp(
  database: TestDatabase,
  settings: Settings = {},
  passwords: Passwords = cheapPasswords,
): Promise<TestApp & { close: () => Promise<void> }> {
  const clock = stoppedClock()
  const sink = keepLines()
  const config = configOf(settings)
  const { pool, states } = database
  const log = createLog(config.logLevel, sink)
  const app = createApp({
    config,
    pool,
    states,
    clock: clock.now,
    log,
    countRequest: noteStatus,
    secrets: testSecrets,
    passwords,
  })
  const server = createHttpServer(app.handle, app.profile, malformedReporter(log))
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  const call = clientOf(url, app.routes)
  const close = async () => {
    app.endStreams()
    await stop(server, 1000)
    await app.close()
  }
  return { url, app, call, pool, database, clock, log: sink, make: makersFor({ pool, clock }), close }
}

function configOf(settings: Settings): Config {
  const configured = configure({ PUBLIC_URL: 'https://forgehall.example/', LOG_LEVEL: 'debug', ...settings })
  if ('faults' in configured) throw new Error(configured.faults.join('; '))
  return configured.config
}
