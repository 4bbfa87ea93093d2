import { networkOf } from '../server/addresses.ts'

/** Maximum bytes that the unfinished bodies of this process may hold at one time. */
export const maxHeld = 256 * 1024 * 1024

/** Maximum bytes that the unfinished bodies of one client may hold, unless a single body may be larger. */
const maxHeldPerClient = maxHeld / 8

/** A body that is being read. */
interface Reservation {
  /** Accounts for bytes that have been allocated; it may evict other bodies, or this one. */
  add: (bytes: number) => void
  /** Returns all of its bytes. */
  release: () => void
}

/** The account of one body. */
interface Entry {
  bytes: number
  client: Client
  evict: () => void
}

/** The account of one client. Its bodies are ordered by the time at which they last received something. */
interface Client {
  network: string
  bytes: number
  bodies: Set<Entry>
}

/**
 * Accounts for the memory of unfinished bodies. It counts the bytes that have arrived, not `Content-Length`. If a
 * client exceeds its share, its own longest-silent body is evicted. If the total is exceeded, the longest-silent body
 * of the client that holds the most is evicted. So no client can displace a client that holds less.
 */
export class BodyMemory {
  readonly #clients = new Map<string, Client>()
  #held = 0

  constructor(
    readonly total = maxHeld,
    readonly share = maxHeldPerClient,
  ) {}

  /** Bytes that all bodies hold at present. */
  get held(): number {
    return this.#held
  }

  /**
   * Starts to account for a body. `address` is the client's, `largest` the maximum size of this body in bytes. `evict`
   * is called at most once, when the body has to be dropped; its bytes have been returned by then.
   */
  open(address: string, largest: number, evict: () => void): Reservation {
    const client = this.#clientAt(networkOf(address))
    const entry = { bytes: 0, client, evict }
    client.bodies.add(entry)
    const share = Math.max(this.share, largest)
    return {
      add: (bytes) => {
        if (!client.bodies.delete(entry)) return
        client.bodies.add(entry)
        this.#add(entry, bytes)
        while (client.bytes > share && client.bodies.has(entry)) this.#evictFrom(client)
        while (this.#held > this.total && client.bodies.has(entry))
          this.#evictFrom(this.#largestClient(client))
      },
      release: () => this.#remove(entry),
    }
  }

  #clientAt(network: string): Client {
    const existing = this.#clients.get(network)
    if (existing) return existing
    const client = { network, bytes: 0, bodies: new Set<Entry>() }
    this.#clients.set(network, client)
    return client
  }

  #add(entry: Entry, bytes: number): void {
    entry.bytes += bytes
    entry.client.bytes += bytes
    this.#held += bytes
  }

  #remove(entry: Entry): void {
    const { client } = entry
    if (!client.bodies.delete(entry)) return
    this.#add(entry, -entry.bytes)
    if (client.bodies.size === 0) this.#clients.delete(client.network)
  }

  /** Skips bodies without bytes: evicting them frees nothing. */
  #evictFrom(client: Client): void {
    for (const entry of client.bodies) {
      if (entry.bytes === 0) continue
      this.#remove(entry)
      entry.evict()
      return
    }
  }

  #largestClient(first: Client): Client {
    let largest = first
    for (const client of this.#clients.values()) if (client.bytes > largest.bytes) largest = client
    return largest
  }
}

/** The account of this process. */
export const bodyMemory = new BodyMemory()
