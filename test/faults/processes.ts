import { newDatabase, startProduct } from '../bench/support/servers.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import type { Fault } from './support/fault.ts'
import { dataIn, last } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

const count = 4

export const processKilled: Fault = {
  name: 'process-killed',
  title: 'one of four processes behind nginx killed with `kill -9`, started again 1 s later',
  bring: async (context) => {
    if (!hasNginx) return { skipped: 'nginx or openssl is not installed' }
    const place = await newDatabase(context, 'faults_processes')
    const settings = dataIn(context, 'data-processes')
    const start = (port?: number) =>
      startProduct(context, place, { settings, ...(port !== undefined && { port }) })
    const servers = [await start()]
    while (servers.length < count) servers.push(await start())
    const nginx = await startNginx(...servers.map(({ port }) => `http://127.0.0.1:${port}`))
    try {
      const bring = async () => {
        const victim = servers.shift()
        await victim?.kill()
        await last(1_000)
        servers.push(await start(victim?.port))
      }
      return await underLoad(nginx, bring, () => storedIn(place))
    } finally {
      await nginx.close()
      await Promise.all(servers.map((each) => each.stop()))
    }
  },
}
