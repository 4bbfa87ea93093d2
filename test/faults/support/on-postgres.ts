import { setTimeout as pause } from 'node:timers/promises'
import type { BenchContext } from '../../bench/support/bench.ts'
import type { Child } from '../../bench/support/child.ts'
import { newDatabase, startProduct } from '../../bench/support/servers.ts'
import type { PostgresServer } from '../../support/postgres-server.ts'
import type { Finding } from './fault.ts'
import type { Load } from './load.ts'
import { storedIn, underLoad } from './under-load.ts'

let databases = 0

/** Starts the server on a new database of the throw-away PostgreSQL, and brings a fault under load. */
export async function onPostgres(
  context: BenchContext,
  bring: (parts: { database: PostgresServer; server: Child; load: Load }) => Promise<void>,
): Promise<Finding> {
  const database = await context.postgres()
  const place = await newDatabase(context, `faults_${++databases}`)
  const server = await startProduct(context, place, { settings: dataIn(context, `data-${databases}`) })
  try {
    const target = { port: server.port }
    return await underLoad(
      target,
      (load) => bring({ database, server, load }),
      () => storedIn(place),
    )
  } finally {
    await server.stop()
  }
}

/** Settings of a server on PostgreSQL, whose keys and repositories lie in a folder of the context. */
export const dataIn = ({ folder }: BenchContext, name: string) => ({
  DATA_DIR: `${folder}/${name}`,
  ADMIN_PASSWORD: 'a password for faults',
})

/** How long a fault lasts that could end at once, so that callers notice it, in milliseconds. */
export const duration = 3_000

/** Lets a fault last. */
export const last = (milliseconds = duration) => pause(milliseconds)
