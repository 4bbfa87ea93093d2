import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction, Socket } from 'node:net'
import type { AllowedHosts } from './allowed-hosts.ts'

/** A target that the list of allowed hosts does not hold. The address itself is not named: it may be an inner one. */
class RefusedTarget extends Error {
  constructor(host: string) {
    super(`"${host}" is not among the allowed hosts`)
    this.name = 'RefusedTarget'
  }
}

/** Finds the addresses of a name, as `dns.lookup` does with `all`. */
export type Resolve = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Agents for both schemes that keep connections alive. */
export interface Agents {
  'http:': HttpAgent
  'https:': HttpsAgent
}

/** Connections are used again for as long as receivers usually keep them open, in milliseconds. */
const keepAlive: AgentOptions = { keepAlive: true, maxFreeSockets: 20, timeout: 4_000 }

/**
 * Agents that connect to allowed addresses only. The check stands between name resolution and connection: the addresses
 * that pass are the very ones that are connected to, so a name that answers differently a moment later gains nothing.
 */
export function guardedAgents(hosts: AllowedHosts, resolve: Resolve = systemLookup): Agents {
  const lookup = guardedLookup(hosts, resolve)
  // An address in the URL itself is never looked up.
  const refused = (host: string) => isIP(host) !== 0 && !hosts.admits(host, host)
  const refuse = (host: string, done?: (error: Error, socket: Socket) => void) => {
    done?.(new RefusedTarget(host), new Socket())
    return undefined
  }

  class GuardedHttpAgent extends HttpAgent {
    override createConnection(...[options, done]: Parameters<HttpAgent['createConnection']>) {
      const host = options.host ?? ''
      return refused(host) ? refuse(host, done) : super.createConnection({ ...options, lookup }, done)
    }
  }
  class GuardedHttpsAgent extends HttpsAgent {
    override createConnection(...[options, done]: Parameters<HttpsAgent['createConnection']>) {
      const host = options.host ?? ''
      return refused(host) ? refuse(host, done) : super.createConnection({ ...options, lookup }, done)
    }
  }
  return { 'http:': new GuardedHttpAgent(keepAlive), 'https:': new GuardedHttpsAgent(keepAlive) }
}

function guardedLookup(hosts: AllowedHosts, resolve: Resolve): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      const admitted = error ? [] : found.filter(({ address }) => hosts.admits(address, host))
      const [first] = admitted
      if (!first) done(error ?? new RefusedTarget(host), [])
      else if (options.all) done(null, admitted)
      else done(null, first.address, first.family)
    })
  }
}
