import { createApp } from '../../src/app.ts'
import { configure } from '../../src/config.ts'
import { openPool } from '../../src/db/open.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import { createLog } from '../../src/log.ts'
import { testSecrets } from './forge/make.ts'

/** Every route of the server. The app is only looked at: nothing connects before the first statement. */
export function routesOfApp(): readonly Mounted[] {
  const configured = configure({})
  if ('faults' in configured) throw new Error(configured.faults.join())
  const pool = openPool({ url: 'postgres://127.0.0.1:1/none', poolSize: 1 })
  return createApp({
    config: configured.config,
    pool,
    states: { local: () => undefined },
    clock: () => new Date(0),
    log: createLog('silent'),
    secrets: testSecrets,
  }).routes
}
