import type { RequestListener } from 'node:http'
import type { Config } from './config.ts'
import { beginOn } from './db/begin.ts'
import type { Pool } from './db/sql.ts'
import { type Mounted, mount, type Voice } from './http/api.ts'
import { Gate } from './http/gate.ts'
import { createHandler } from './http/handle.ts'
import type { Log } from './log.ts'
import { siteApi } from './site/api.ts'

/** What an app is made of. The clock is a part, so that a test can stop it. */
export interface Parts {
  config: Config
  pool: Pool
  clock: () => Date
  log: Log
  /** Called after each commit that wrote events; absent: nobody in this process drains them. */
  emitted?: () => void
}

export interface App {
  handle: RequestListener
  /** Every operation, for the document and for tests. */
  routes: readonly Mounted[]
  /** How what is no request at all is answered. */
  voice: Voice
  /** Closed until the schema is known to be up to date. */
  gate: Gate
}

/** A run that waits longer for the database than this, in milliseconds, is given up. */
const longestRun = 15_000

/** Longest time a body may take to arrive, in milliseconds. */
const longestBody = 30_000

/** The only place where the parts meet. */
export function createApp({ config, pool, clock, log, emitted }: Parts): App {
  const gate = new Gate(config.queueLimit, longestRun)
  const routes = [...mount(siteApi)]
  const handle = createHandler({
    routes,
    voices: [siteApi.voice],
    sql: pool,
    begin: beginOn(pool, clock, emitted),
    clock,
    log,
    gate,
    limits: { bytes: config.bodyLimit, milliseconds: longestBody },
    root: config.root,
    rootIsGiven: config.rootIsGiven,
    proxies: config.proxies,
  })
  return { handle, routes, voice: siteApi.voice, gate }
}
