import { createApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { createPasswords, PASSWORD_DEFAULTS } from '../../forge/auth/password.ts'
import { serveSshAt } from '../../forge/repos/ssh-address.ts'
import { malformedReporter } from '../../http/listener/malformed.ts'
import { createHttpServer, stop } from '../../http/listener/server.ts'
import type { Log } from '../../log.ts'
import { Monitoring } from '../../metrics/monitoring.ts'
import { openKeys } from '../keys.ts'
import { createBackgroundWork } from './background.ts'
import type { Lifetime } from './lifetime.ts'
import { listenOn } from './port.ts'

/** The parts of a server. */
export type Parts = Awaited<ReturnType<typeof assemble>>

export interface ServerDeps {
  database: Database
  config: Config
  lifetime: Lifetime
  version: string
  log: Log
  /** Writes a line to standard error. */
  printError: (line: string) => void
}

const clock = () => new Date()

/** Makes the parts of a server, which `lifetime` stops. None of them works yet. @throws SetupError for the keys */
export async function assemble(deps: ServerDeps) {
  const { database, config, lifetime, version, log } = deps
  const { pool, versions: states } = database
  const startedAt = clock()
  serveSshAt(config.sshUrl)
  const monitoring = new Monitoring(config.metrics)
  const passwords = createPasswords(PASSWORD_DEFAULTS)
  const keys = await openKeys(config)
  const { secrets } = keys
  const { countRequest } = monitoring
  const emitted = () => background.wake()
  const app = createApp({ config, pool, states, clock, log, secrets, passwords, countRequest, emitted })
  const followers = [app.workflows, app.scheduledMerges, ...(app.mails ? [app.mails] : [])]
  const background = createBackgroundWork({ config, version, pool, clock, log, secrets, followers })
  lifetime.add({ stop: app.close }, background)
  const { limiter, secondsToWait } = app
  const handle = await monitoring.serve(app.handle, { pool, limiter, clock, version, secondsToWait })
  const server = createHttpServer(handle, app.profile, malformedReporter(log))
  lifetime.add({ stop: () => stop(server, 1_000) })
  let port: Promise<number> | undefined
  /** Starts to listen at the first call; returns the port. */
  const listen = () => {
    port ??= listenOn(server, config)
    return port
  }
  return { ...deps, pool, clock, startedAt, monitoring, passwords, keys, app, background, server, listen }
}
