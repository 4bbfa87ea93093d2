import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { siteScope } from '../actions/run/scope.ts'
import { presetToken } from '../actions/runner/registration-store.ts'
import { releaseTriggers } from '../actions/trigger/trigger-store.ts'
import { type App, createApp } from '../app.ts'
import type { Running } from '../background/every.ts'
import type { Config } from '../config.ts'
import { isOpenToOthers } from '../data-dir.ts'
import { beginOn } from '../db/begin.ts'
import type { Database } from '../db/database.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import type { Pool } from '../db/sql.ts'
import type { OperatorError } from '../errors.ts'
import { ensureAdministrator } from '../forge/accounts/first-admin.ts'
import { createPasswords, PASSWORD_DEFAULTS, type Passwords } from '../forge/auth/password.ts'
import { releaseAllDeliveries } from '../forge/webhooks/delivery/deliveries.ts'
import { createHttpServer, listen, stop } from '../http/server/server.ts'
import { createLog, type Log } from '../log.ts'
import { createBackgroundWork } from './background.ts'
import { SetupError, UsageError } from './command.ts'
import { checkKeys, openKeys } from './keys.ts'
import { prepare } from './prepare.ts'
import { commandOf, runCommand } from './run.ts'
import { serveSocket } from './socket.ts'

/** How long a stop may take, in milliseconds: requests, background work, statements. Less than ten seconds in all. */
const patience = { requests: 6_000, background: 1_000, statementsSeconds: 2 }

const clock = () => new Date()

/**
 * Serves on `database`, and closes it, until `stopped` settles.
 * @throws OperatorError when the port is taken, or the keys are not those of the database; and what a migration throws
 */
export async function serve(
  database: Database,
  config: Config,
  version: string,
  stopped: Promise<NodeJS.Signals>,
  tell: (line: string) => void,
): Promise<void> {
  const began = clock()
  const log = createLog(config.logLevel)
  const { pool, versions: states } = database
  const passwords = createPasswords(PASSWORD_DEFAULTS)
  const running: Running[] = []
  let isStopping = false
  try {
    if (await isOpenToOthers(config.dataDir))
      log.warn('other users of this machine can enter DATA_DIR, which belongs to somebody else')
    const keys = await openKeys(config)
    const { secrets } = keys
    const app = createApp({
      ...{ config, pool, states, clock, log, secrets, passwords },
      emitted: () => yard.wake(),
    })
    const followers = [app.workflows]
    const yard = createBackgroundWork({ config, version, pool, clock, log, secrets, followers })
    running.push({ stop: app.close }, yard)
    const server = createHttpServer(app.handle, app.profile)
    let port: Promise<number> | undefined
    const listening = () => {
      port ??= listenOn(server, config)
      return port
    }
    running.push({ stop: () => stop(server, patience.background) })
    const first = async () => {
      await checkKeys({ pool, config, clock, report: log.warn }, keys)
      await firstAdministrator(config, { pool, passwords, beforeMaking: listening }, log, tell)
      await presetRunnerToken(config, pool, secrets, log)
    }
    const afterwards = async () => {
      if (isAlone(config)) {
        await mendRepositories(app, began, log)
        await releaseTriggers(pool, clock())
        await releaseAllDeliveries(pool, clock())
      }
      await app.tools.schedule.start({ alone: isAlone(config) })
      yard.start()
      if (!isStopping) running.push(app.recoverPushes(clock()))
    }
    let giveUp: (error: OperatorError) => void = () => {}
    const failed = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    failed.catch(() => {})
    const means = { database, gate: app.gate, log, secrets, isStopping: () => isStopping, giveUp }
    // The embedded database starts while the app is made.
    const prepared = await Promise.race([
      stopped,
      database.opened.then(() => prepare(means, { first, afterwards })),
    ])
    if (typeof prepared === 'string') {
      // Nobody has been answered yet; what is not committed is rolled back.
      log.info('stopping', { signal: prepared })
    } else {
      const taken = await listening()
      if (config.databaseUrl === undefined) running.push(await adminSocket(config, pool, secrets, yard.wake))
      const kept = config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL'
      const facts = { version, port: taken, root: config.root, database: kept, pid: process.pid }
      running.push(prepared((standing) => log.info(standing, facts)))
      void sayGit(app, log, means.isStopping)
      try {
        log.info('stopping', { signal: await Promise.race([stopped, failed]) })
      } finally {
        await stop(server, patience.requests)
      }
    }
  } finally {
    isStopping = true
    try {
      // A turn that waits for a silent database ends when its connection is closed.
      await Promise.race([
        Promise.all(running.map((each) => each.stop())),
        pause(patience.background, undefined, { ref: false }),
      ])
    } finally {
      await database.close(patience.statementsSeconds)
    }
  }
  log.info('stopped')
}

/** @throws ObstacleError that names the variable to change */
async function listenOn(server: Server, { port, host }: Config): Promise<number> {
  try {
    return await listen(server, port, host)
  } catch (error) {
    throw obstacleOf(error, port, host) ?? error
  }
}

function obstacleOf(error: unknown, port: number, host: string | undefined): SetupError | undefined {
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
 * A password that was made up is told to whoever started us, once, and never to the log. So the port is taken before
 * the administrator is made: a start that fails for want of it tells and leaves nothing. Requests are answered 503
 * meanwhile.
 */
async function firstAdministrator(
  { admin: input, root, passwordRules }: Config,
  parts: { pool: Pool; passwords: Passwords; beforeMaking: () => Promise<unknown> },
  log: Log,
  tell: (line: string) => void,
): Promise<void> {
  const made = await ensureAdministrator({
    ...parts,
    ...{ begin: beginOn(parts.pool, clock), input, root, passwordRules },
  })
  if (!made) return
  log.info('first administrator made', { name: made.name })
  if (made.password === undefined) return
  tell(`the first administrator is "${made.name}" with the password ${made.password}`)
  tell('it is shown only now; forgehall admin password changes it')
}

/**
 * `RUNNER_TOKEN`: so that a site and its runners can be set up together. One that is known already is left as it is.
 */
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

async function adminSocket(
  { dataDir, passwordRules }: Config,
  pool: Pool,
  secrets: Secrets,
  emitted: () => void,
) {
  const begin = beginOn(pool, clock, emitted)
  const ground = { pool, begin, clock, secrets: async () => secrets, passwordRules }
  const server = await serveSocket(dataDir, async (words, print) => {
    const command = commandOf(words)
    if (!command) throw new UsageError('this server does not know that command; is it of another version?')
    await runCommand(command, words, { ...ground, print })
  })
  return { stop: () => stop(server, 1_000) }
}

/** The embedded database has one process, so whatever another one began was left by a crash. */
const isAlone = ({ databaseUrl }: Config) => databaseUrl === undefined

/** Repairs what a crash left before this process `began`. Where others may be at work a task does that later. */
async function mendRepositories({ tools, repairRepositories }: App, began: Date, log: Log): Promise<void> {
  await tools.gitService.repositories.tidy(began)
  const count = await repairRepositories(began)
  if (count > 0) log.info('repositories repaired', { count })
}

/** Says once whether there is a git; a slow one holds up nobody who does not ask for it. A stop ends the look. */
async function sayGit({ tools }: App, log: Log, isStopping: () => boolean): Promise<void> {
  const version = await tools.gitService.check()
  if (isStopping()) return
  if (version.usable) log.info(version.sentence)
  else log.warn(version.sentence)
}
