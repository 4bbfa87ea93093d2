import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDatabase, startProduct } from '../bench/support/servers.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { childrenOf } from '../support/processes/tree.ts'
import { until } from '../support/wait.ts'
import type { Fault } from './support/fault.ts'
import { dataIn } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

const workers = 4

export const workerKilled: Fault = {
  name: 'worker-killed',
  title: 'one of four workers (`WORKERS=4`) behind nginx killed with `kill -9`; another one starts 1 s later',
  bring: async (context) => {
    if (!hasNginx) return { skipped: 'nginx or openssl is not installed' }
    const place = await newDatabase(context, 'faults_workers')
    const settings = { ...dataIn(context, 'data-workers'), WORKERS: String(workers) }
    const log = join(context.folder, 'workers.log')
    const server = await startProduct(context, place, { settings, log, logLevel: 'info' })
    const nginx = await startNginx(`http://127.0.0.1:${server.port}`)
    try {
      await ready(log, workers)
      const bring = async () => {
        const [victim = 0] = await childrenOf(server.pid)
        process.kill(victim, 'SIGKILL')
        await ready(log, workers + 1)
      }
      return await underLoad(nginx, bring, () => storedIn(place))
    } finally {
      await nginx.close()
      await server.stop()
    }
  },
}

/** Waits until so many workers have said in the log that they serve. */
async function ready(log: string, count: number): Promise<void> {
  await until('the workers are ready', () => {
    const lines = readFileSync(log, 'utf8').split('\n')
    return lines.filter((line) => line.includes('"message":"ready"')).length >= count
  })
}
