import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { siteScope } from '../actions/run/scope.ts'
import { presetToken } from '../actions/runner/registration-store.ts'
import { bringTriggersForward, releaseTriggers } from '../actions/trigger/trigger-store.ts'
import { type App, createApp } from '../app.ts'
import type { Running } from '../background/every.ts'
import { settleRestore } from '../backup/restore.ts'
import type { Config } from '../config.ts'
import { isOpenToOthers } from '../data-dir.ts'
import { beginOn } from '../db/begin.ts'
import type { Database } from '../db/database.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import { bringEventsForward } from '../db/outbox-events.ts'
import type { Pool } from '../db/sql.ts'
import type { OperatorError } from '../errors.ts'
import { ensureAdministrator } from '../forge/accounts/first-admin.ts'
import { createPasswords, PASSWORD_DEFAULTS, type Passwords } from '../forge/auth/password.ts'
import { bringDeliveriesForward, releaseAllDeliveries } from '../forge/webhooks/delivery/deliveries.ts'
import { malformedReporter } from '../http/server/malformed.ts'
import { createHttpServer, listen, stop } from '../http/server/server.ts'
import type { Log } from '../log.ts'
import { Watch } from '../metrics/watch.ts'
import { backupFrames } from './archive/backup.ts'
import { createBackgroundWork } from './background.ts'
import { SetupError, UsageError } from './command.ts'
import { checkKeys, openKeys } from './keys.ts'
import { listenForMetrics } from './metrics-port.ts'
import { prepare, type ServerState } from './prepare.ts'
import { commandOf, runCommand } from './run.ts'
import { watchSchema } from './schema-watch.ts'
import { serveSocket } from './socket.ts'
import { checkStore } from './store.ts'
import { answerPrimary, metricsOfAll } from './worker-metrics.ts'
import { isWorker, reportReady } from './workers.ts'

/** Time limits of a stop for requests, background work (milliseconds) and statements. Under ten seconds in all. */
const stopTimeouts = { requests: 6_000, background: 1_000, statementsSeconds: 2 }

const clock = () => new Date()

interface ServeOptions {
  version: string
  log: Log
  stopped: Promise<NodeJS.Signals>
  printError: (line: string) => void
}

/**
 * Serves until `stopped` settles, then closes `database`.
 * @throws SetupError when the port is taken, OperatorError for wrong keys, and errors of migrations
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of a start and a stop, in order
export async function serve(
  database: Database,
  config: Config,
  { version, log, stopped, printError }: ServeOptions,
): Promise<void> {
  const startedAt = clock()
  const { pool, versions: states } = database
  const watch = new Watch({ ...config.metrics, ofAll: isWorker ? metricsOfAll : undefined })
  const passwords = createPasswords(PASSWORD_DEFAULTS)
  const running: Running[] = []
  let isStopping = false
  try {
    if (await isOpenToOthers(config.dataDir))
      log.warn('other users of this machine can enter DATA_DIR, which belongs to somebody else')
    const keys = await openKeys(config)
    const { secrets } = keys
    const app = createApp({
      config,
      pool,
      states,
      clock,
      log,
      secrets,
      passwords,
      countRequest: watch.countRequest,
      emitted: () => background.wake(),
    })
    const followers = [app.workflows]
    const background = createBackgroundWork({ config, version, pool, clock, log, secrets, followers })
    running.push({ stop: app.close }, background)
    const handle = await watch.serve(app.handle, { pool, limiter: app.limiter, clock, version })
    if (isWorker) answerPrimary(watch)
    const server = createHttpServer(handle, app.profile, malformedReporter(log))
    let port: Promise<number> | undefined
    const listening = () => {
      port ??= listenOn(server, config)
      return port
    }
    running.push({ stop: () => stop(server, stopTimeouts.background) })
    const first = async () => {
      await settleRestore(pool, config.dataDir)
      await checkStore(pool, app.tools.blobs, log)
      await checkKeys({ pool, config, clock, report: log.warn }, keys)
      await firstAdministrator(config, { pool, passwords, beforeMaking: listening }, log, printError)
      await presetRunnerToken(config, pool, secrets, log)
    }
    const afterwards = async () => {
      if (isAlone(config)) {
        await repairAfterCrash(app, startedAt, log)
        await releaseTriggers(pool, clock())
        await releaseAllDeliveries(pool, clock())
      }
      await app.tools.schedule.start({ alone: isAlone(config) })
      background.start()
      if (isStopping) return
      running.push(app.recoverPushes(clock()))
      if (!isAlone(config)) running.push(watchSchema({ pool, log, giveUp }))
      running.push(app.clockWatch.start(log, () => bringForward(app, background, pool, clock())))
    }
    let giveUp: (error: OperatorError) => void = () => {}
    const failed = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    failed.catch(() => {})
    const prepareDeps = { database, limiter: app.limiter, log, secrets, isStopping: () => isStopping, giveUp }
    // The embedded database starts while the app is created.
    const prepared = await Promise.race([
      stopped,
      database.opened.then(() => prepare(prepareDeps, { first, afterwards })),
    ])
    if (typeof prepared === 'string') {
      // No request has been answered yet; uncommitted work is rolled back.
      log.info('stopping', { signal: prepared })
    } else {
      const boundPort = await listening()
      const metricsPort = await serveMetrics(watch, config, running)
      if (config.databaseUrl === undefined)
        running.push(await adminSocket(config, pool, secrets, { log, emitted: background.wake }))
      const databaseLocation = config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL'
      const facts = {
        version,
        port: boundPort,
        metricsPort,
        root: config.root,
        database: databaseLocation,
        pid: process.pid,
      }
      const report = (state: ServerState) => {
        log.info(state, facts)
        if (state === 'ready') reportReady()
      }
      running.push(prepared(report))
      void logGitVersion(app, log, prepareDeps.isStopping)
      try {
        log.info('stopping', { signal: await Promise.race([stopped, failed]) })
      } finally {
        watch.drain()
        app.endStreams()
        await stop(server, stopTimeouts.requests)
      }
    }
  } finally {
    isStopping = true
    try {
      // Background work that waits for a hanging database ends when its connection is closed.
      await Promise.race([
        Promise.all(running.map((each) => each.stop())),
        pause(stopTimeouts.background, undefined, { ref: false }),
      ])
    } finally {
      await database.close(stopTimeouts.statementsSeconds)
    }
  }
  log.info('stopped')
}

/** Listens on `METRICS_PORT`, if it is set; returns the port. @throws SetupError */
async function serveMetrics(
  watch: Watch,
  { metrics }: Config,
  running: Running[],
): Promise<number | undefined> {
  const { port, host } = metrics
  // Of several workers the primary process listens there.
  const server = isWorker ? undefined : watch.metricsServer()
  return server && port !== undefined ? listenForMetrics(server, { port, host }, running) : undefined
}

/** @throws SetupError that names the variable to change */
async function listenOn(server: Server, { port, host }: Config): Promise<number> {
  try {
    return await listen(server, port, host)
  } catch (error) {
    throw setupErrorOf(error, port, host) ?? error
  }
}

function setupErrorOf(error: unknown, port: number, host: string | undefined): SetupError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new SetupError(`port ${port} is taken by another process; set PORT to a free one`)
    case 'EACCES':
      return new SetupError(`port ${port} may not be used by this user; set PORT to one above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new SetupError(`cannot listen on ${host}: ${code}; set HOST to an address of this machine`)
    default:
      return undefined
  }
}

/**
 * Creates the first administrator. A generated password is printed once on standard error and never logged. The port is
 * taken before: a start that fails because of the port prints and creates nothing. Requests get 503 meanwhile.
 */
async function firstAdministrator(
  { admin: input, root, passwordRules }: Config,
  parts: { pool: Pool; passwords: Passwords; beforeMaking: () => Promise<unknown> },
  log: Log,
  printError: (line: string) => void,
): Promise<void> {
  const made = await ensureAdministrator({
    ...parts,
    begin: beginOn(parts.pool, clock, { log }),
    input,
    root,
    passwordRules,
  })
  if (!made) return
  log.info('first administrator made', { name: made.name })
  if (made.password === undefined) return
  printError(`the first administrator is "${made.name}" with the password ${made.password}`)
  printError('it is shown only now; forgehall admin password changes it')
  printError(`open ${root} in a browser to begin`)
}

/** Creates the registration token from `RUNNER_TOKEN`, to set up site and runners together; keeps an existing one. */
async function presetRunnerToken(
  { runnerToken }: Config,
  pool: Pool,
  secrets: Secrets,
  log: Log,
): Promise<void> {
  if (runnerToken === undefined) return
  const made = await beginOn(pool, clock)((tx) => presetToken(tx, secrets, siteScope, runnerToken))
  if (made) log.info('runners may register with RUNNER_TOKEN')
}

interface SocketDeps {
  log: Log
  /** Called after a command that wrote events. */
  emitted: () => void
}

async function adminSocket(config: Config, pool: Pool, secrets: Secrets, { log, emitted }: SocketDeps) {
  const { dataDir, passwordRules } = config
  const begin = beginOn(pool, clock, { onEmitted: emitted, log })
  const deps = { pool, begin, clock, secrets: async () => secrets, passwordRules, config }
  const run = async (words: readonly string[], print: (line: string) => void) => {
    const command = commandOf(words)
    if (!command) throw new UsageError('this server does not know that command; is it of another version?')
    await runCommand(command, words, { ...deps, print })
  }
  const server = await serveSocket(dataDir, run, () => backupFrames(pool, config))
  return { stop: () => stop(server, 1_000) }
}

/** Whether no other process uses the database (the embedded one): leftovers of others come from a crash. */
const isAlone = ({ databaseUrl }: Config) => databaseUrl === undefined

/** Makes work due that was scheduled before the clock was set back: its times are now far in the future. */
async function bringForward(
  { tools }: App,
  background: ReturnType<typeof createBackgroundWork>,
  pool: Pool,
  now: Date,
): Promise<void> {
  await bringEventsForward(pool, now)
  await bringDeliveriesForward(pool, now)
  await bringTriggersForward(pool, now)
  await tools.schedule.bringForward()
  background.wake()
}

/** Repairs leftovers of a crash before this process started. With other processes around, a task does that later. */
async function repairAfterCrash(
  { tools, repairRepositories }: App,
  startedAt: Date,
  log: Log,
): Promise<void> {
  await tools.gitService.repositories.tidy(startedAt)
  const count = await repairRepositories(startedAt)
  if (count > 0) log.info('repositories repaired', { count })
}

/** Logs once whether git is usable. Runs in the background, since git may be slow; a stop ends it. */
async function logGitVersion({ tools }: App, log: Log, isStopping: () => boolean): Promise<void> {
  const version = await tools.gitService.check()
  if (isStopping()) return
  if (version.usable) log.info(version.sentence)
  else log.warn(version.sentence)
}
