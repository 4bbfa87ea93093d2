import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction, Socket } from 'node:net'
import type { AllowedHosts } from './allowed-hosts.ts'

/** The target is not an allowed host. The message does not contain the address, which may be internal. */
class BlockedTarget extends Error {
  constructor(host: string) {
    super(`"${host}" is not among the allowed hosts`)
    this.name = 'BlockedTarget'
  }
}

/** Resolves a name to its addresses, like `dns.lookup` with `all`. */
export type Resolve = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Keep-alive agents for both schemes. */
export interface Agents {
  'http:': HttpAgent
  'https:': HttpsAgent
}

/** Idle connections are kept for about as long as receivers usually keep them open, in milliseconds. */
const keepAlive: AgentOptions = { keepAlive: true, maxFreeSockets: 20, timeout: 4_000 }

/**
 * Agents that connect to allowed addresses only. The check runs between name resolution and connection, on the very
 * addresses that are connected to, so a name that resolves differently a moment later cannot bypass it (DNS rebinding).
 */
export function guardedAgents(hosts: AllowedHosts, resolve: Resolve = systemLookup): Agents {
  const lookup = guardedLookup(hosts, resolve)
  // Node does not call `lookup` if the URL contains an address.
  const isBlocked = (host: string) => isIP(host) !== 0 && !hosts.admits(host, host)
  const block = (host: string, done?: (error: Error, socket: Socket) => void) => {
    done?.(new BlockedTarget(host), new Socket())
    return undefined
  }

  class GuardedHttpAgent extends HttpAgent {
    override createConnection(...[options, done]: Parameters<HttpAgent['createConnection']>) {
      const host = options.host ?? ''
      return isBlocked(host) ? block(host, done) : super.createConnection({ ...options, lookup }, done)
    }
  }
  class GuardedHttpsAgent extends HttpsAgent {
    override createConnection(...[options, done]: Parameters<HttpsAgent['createConnection']>) {
      const host = options.host ?? ''
      return isBlocked(host) ? block(host, done) : super.createConnection({ ...options, lookup }, done)
    }
  }
  return { 'http:': new GuardedHttpAgent(keepAlive), 'https:': new GuardedHttpsAgent(keepAlive) }
}

function guardedLookup(hosts: AllowedHosts, resolve: Resolve): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => hosts.admits(address, host))
      const [first] = allowed
      if (!first) done(error ?? new BlockedTarget(host), [])
      else if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}
