import type { Server } from 'node:http'
import type { Running } from '../background/every.ts'
import { messageOf } from '../errors.ts'
import { listen } from '../http/server/server.ts'
import { SetupError } from './command.ts'

/** A server that listens on `METRICS_PORT`, and what stops it. */
export interface MetricsPort extends Running {
  port: number
}

/** Listens on `METRICS_PORT`. @throws SetupError */
export async function listenForMetrics(
  server: Server,
  { port, host }: { port: number; host: string },
): Promise<MetricsPort> {
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  try {
    return { port: await listen(server, port, host), stop }
  } catch (error) {
    throw new SetupError(`METRICS_PORT ${port} on ${host} cannot be used: ${messageOf(error)}`)
  }
}
