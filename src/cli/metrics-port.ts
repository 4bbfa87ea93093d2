import type { Server } from 'node:http'
import type { Running } from '../background/every.ts'
import { messageOf } from '../errors.ts'
import { listen } from '../http/server/server.ts'
import { SetupError } from './command.ts'

/** Listens on `METRICS_PORT`; returns the port. `running` gets what stops it. @throws SetupError */
export async function listenForMetrics(
  server: Server,
  { port, host }: { port: number; host: string },
  running: Pick<Running[], 'push'>,
): Promise<number> {
  running.push({
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
  try {
    return await listen(server, port, host)
  } catch (error) {
    throw new SetupError(`METRICS_PORT ${port} on ${host} cannot be used: ${messageOf(error)}`)
  }
}
