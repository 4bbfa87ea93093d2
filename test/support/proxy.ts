import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A line to a TCP server that a test can cut. */
export interface Proxy {
  /** The given address, by way of this line. */
  url: string
  /** Ends all connections and takes no new one, as a server that was stopped. */
  cut: () => Promise<void>
  /** Takes connections again, on the same port. */
  mend: () => Promise<void>
  /** Loses every byte in both directions and says nothing, as a cable that was pulled. */
  swallow: () => void
  /** Takes connections and ends them at once, as a server that is shutting down. */
  hangUp: () => void
  /** Carries bytes again on new connections; the old ones stay silent, as after a failover. */
  carry: () => void
  /** Leads new connections to the server of another address. */
  lead: (target: string) => void
  close: () => Promise<void>
}

/** Opens a line to the server of an address such as `postgres://user@host:port/name`. */
export async function openProxy(target: string): Promise<Proxy> {
  let { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let swallowing = false
  let hangingUp = false
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near)
    if (hangingUp) {
      near.end()
      return
    }
    if (swallowing) {
      near.resume()
      return
    }
    const far = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    keep(far)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => to.writable && to.write(bytes))
      from.once('end', () => swallowing || to.end())
      from.once('close', () => to.destroy())
    }
  })
  const listenOn = async (wanted: number) => {
    server.listen(wanted, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  }
  const cut = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  }
  const own = await listenOn(0)
  const url = new URL(target)
  url.host = `127.0.0.1:${own}`
  return {
    url: url.href,
    cut,
    mend: async () => void (await listenOn(own)),
    swallow: () => {
      swallowing = true
      for (const socket of open) socket.removeAllListeners('data').resume()
    },
    hangUp: () => {
      hangingUp = true
    },
    carry: () => {
      swallowing = false
      hangingUp = false
    },
    lead: (other) => {
      ;({ hostname, port } = new URL(other))
    },
    close: cut,
  }
}
