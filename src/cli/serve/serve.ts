import type { Server } from 'node:http'
import { isOpenToOthers } from '../../common/data-dir.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { stop } from '../../http/listener/server.ts'
import { openAdminSocket } from './admin-socket.ts'
import { assemble, type Parts, type ServerDeps } from './assemble.ts'
import { Lifetime } from './lifetime.ts'
import { listenForMetrics, type MetricsPort } from './port.ts'
import { beforeRequests, besidesRequests, isAlone } from './preparations.ts'
import { prepare, type StartRest } from './prepare.ts'
import { openSshSocket } from './ssh-socket.ts'

/** Time limits of a stop, less than ten seconds in total; milliseconds, except for statements. */
const stopTimeouts = { requests: 6_000, idle: 250, background: 1_000, statementsSeconds: 2 }

interface ServeOptions extends Pick<ServerDeps, 'version' | 'log' | 'printError'> {
  stopped: Promise<NodeJS.Signals>
}

/**
 * Serves until `stopped` settles, then closes `database`.
 * @throws SetupError when the port is taken, OperatorError for wrong keys, and errors of migrations
 */
export async function serve(
  database: Database,
  config: Config,
  { stopped, ...options }: ServeOptions,
): Promise<void> {
  const { log } = options
  const lifetime = new Lifetime()
  try {
    await warnOfOthers(config, log)
    const parts = await assemble({ database, config, lifetime, ...options })
    // Meanwhile the embedded database starts.
    const prepared = await Promise.race([stopped, database.opened.then(() => prepareDatabase(parts))])
    if (typeof prepared === 'string') {
      // No request has been answered yet; the database rolls back uncommitted work.
      log.info('stopping', { signal: prepared })
    } else {
      const servers = await takeRequests(parts, prepared)
      try {
        log.info('stopping', { signal: await Promise.race([stopped, lifetime.failed]) })
      } finally {
        await finishRequests(parts, servers)
      }
    }
  } finally {
    try {
      // Background work that waits for a hanging database ends when its connection is closed.
      await lifetime.end(stopTimeouts.background)
    } finally {
      await database.close(stopTimeouts.statementsSeconds)
    }
  }
  log.info('stopped')
}

async function warnOfOthers({ dataDir }: Config, log: Parts['log']): Promise<void> {
  if (await isOpenToOthers(dataDir))
    log.warn('other users of this machine can enter DATA_DIR, because another user owns it')
}

function prepareDatabase(parts: Parts): Promise<StartRest> {
  const { database, app, log, lifetime } = parts
  const { isStopping, giveUp } = lifetime
  return prepare(
    { database, limiter: app.limiter, log, isStopping, giveUp },
    { first: () => beforeRequests(parts), afterwards: () => besidesRequests(parts) },
  )
}

/** Opens the ports and the sockets, reports that, and starts the rest. Returns what serves clients. @throws SetupError */
async function takeRequests(parts: Parts, startRest: StartRest): Promise<Server[]> {
  const { config, log, version, lifetime, listen } = parts
  const port = await listen()
  const metrics = await openMetricsPort(parts)
  if (metrics) lifetime.add(metrics)
  if (isAlone(config)) lifetime.add(await openAdminSocket(parts))
  const ssh = config.sshUrl === undefined ? [] : [await openSshSocket(parts, port)]
  const database = isAlone(config) ? config.dataDir : 'PostgreSQL'
  const facts = { version, port, metricsPort: metrics?.port, root: config.root, database, pid: process.pid }
  lifetime.add(startRest((state) => log.info(state, facts)))
  void logGitVersion(parts)
  return [parts.server, ...ssh]
}

/** Answers the requests that have arrived, and accepts no others. */
async function finishRequests({ monitoring, app }: Parts, servers: readonly Server[]): Promise<void> {
  monitoring.drain()
  app.endStreams()
  const { requests, idle } = stopTimeouts
  await Promise.all(servers.map((server) => stop(server, requests, idle)))
}

/** Listens on `METRICS_PORT`, if it is set. @throws SetupError */
async function openMetricsPort({ monitoring, config }: Parts): Promise<MetricsPort | undefined> {
  const { port, host } = config.metrics
  const server = monitoring.metricsServer()
  if (!server || port === undefined) return undefined
  return await listenForMetrics(server, { port, host })
}

/** Logs once whether git is usable. Runs in the background, since git may be slow; a stop ends it. */
async function logGitVersion({ app, log, lifetime }: Parts): Promise<void> {
  const version = await app.tools.gitService.check()
  if (lifetime.isStopping()) return
  if (version.usable) log.info(version.sentence)
  else log.warn(version.sentence)
}
