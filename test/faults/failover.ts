import postgres from 'postgres'
import { startProduct } from '../bench/support/servers.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { openProxy } from '../support/proxy.ts'
import { until } from '../support/wait.ts'
import type { Fault, Finding } from './support/fault.ts'
import { dataIn } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

interface Pair {
  primary: PostgresServer
  standby: PostgresServer
}

/** Makes a primary server, and a standby for which each commit waits. */
async function withPair(work: (pair: Pair) => Promise<Finding>): Promise<Finding> {
  const primary = await startPostgres({ fsync: true })
  let standby: PostgresServer | undefined
  try {
    standby = await startPostgres({ fsync: true, standbyOf: primary })
    await commitTogether(primary)
    return await work({ primary, standby })
  } finally {
    standby?.remove()
    primary.remove()
  }
}

/** Lets each commit wait until the standby has it on its disk (`synchronous_commit` is on by default). */
async function commitTogether({ url }: PostgresServer): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`alter system set synchronous_standby_names = '*'`
    await sql`select pg_reload_conf()`
    await until('the standby is synchronous', async () => {
      const rows = await sql`select 1 from pg_stat_replication where sync_state = 'sync'`
      return rows.length === 1
    })
  } finally {
    await sql.end()
  }
}

export const failover: Fault = {
  name: 'failover',
  title: 'primary PostgreSQL killed with SIGKILL, its synchronous standby promoted, the address moved to it',
  bring: (context) =>
    withPair(async ({ primary, standby }) => {
      const proxy = await openProxy(primary.url)
      const settings = dataIn(context, 'data-failover')
      const server = await startProduct(context, { url: proxy.url }, { settings })
      const bring = async () => {
        await primary.kill()
        await standby.promote()
        proxy.lead(standby.url)
      }
      try {
        return await underLoad({ port: server.port }, bring, () => storedIn({ url: standby.url }))
      } finally {
        await server.stop()
        await proxy.close()
      }
    }),
}
