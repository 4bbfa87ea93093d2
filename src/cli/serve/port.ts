import type { Server } from 'node:http'
import type { Running } from '../../background/recurring.ts'
import { codeOf, messageOf } from '../../common/errors.ts'
import type { Config } from '../../config.ts'
import { listen } from '../../http/listener/server.ts'
import { SettingError, SetupError } from '../command.ts'

/** A server that listens on `METRICS_PORT`. */
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

/** Listens on `PORT`; returns the port. @throws SetupError and SettingError that name the variable to change */
export async function listenOn(server: Server, { port, host }: Config): Promise<number> {
  try {
    return await listen(server, port, host)
  } catch (error) {
    throw setupErrorOf(error, port, host) ?? error
  }
}

function setupErrorOf(
  error: unknown,
  port: number,
  host: string | undefined,
): SetupError | SettingError | undefined {
  const code = codeOf(error)
  switch (code) {
    case 'EADDRINUSE':
      return new SetupError(`another process uses port ${port}; set PORT to a free one`)
    case 'EACCES':
      return new SettingError(`this user may not use port ${port}; set PORT to a number above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new SetupError(`cannot listen on ${host}: ${code}; set HOST to an address of this machine`)
    default:
      return undefined
  }
}
