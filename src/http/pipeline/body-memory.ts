import { networkOf } from './network.ts'

/** Most bytes that the unfinished bodies of this process may hold at one time. */
export const heldAtMost = 256 * 1024 * 1024

/** Most bytes that the unfinished bodies of one client may hold, unless a single body may be larger. */
const heldPerClient = heldAtMost / 8

/** A body that is being read. */
export interface Holding {
  /** Accounts for bytes that have been allocated; it may evict other bodies, or this one. */
  take: (bytes: number) => void
  /** Gives all of its bytes back. */
  release: () => void
}

/** One body as the account keeps it. */
interface Entry {
  bytes: number
  client: Client
  evict: () => void
}

/** What one client holds. Its bodies are in the order in which they last received something. */
interface Client {
  network: string
  bytes: number
  bodies: Set<Entry>
}

/**
 * Accounts for the memory of unfinished bodies. It counts what has arrived, never what was announced. When a client
 * exceeds its share, its own body that has been silent for longest is evicted. When the whole is exceeded, the client that
 * holds most loses such a body. So nobody can keep out somebody who holds less.
 */
export class BodyMemory {
  readonly #clients = new Map<string, Client>()
  #held = 0

  constructor(
    readonly total = heldAtMost,
    readonly share = heldPerClient,
  ) {}

  /** Bytes that all bodies hold now. */
  get held(): number {
    return this.#held
  }

  /**
   * Begins to account for a body. `address` is the client's, `largest` the most bytes that this body may have. `evict` is
   * called at most once, when the body has to go; its bytes are given back by then.
   */
  open(address: string, largest: number, evict: () => void): Holding {
    const client = this.#clientAt(networkOf(address))
    const entry = { bytes: 0, client, evict }
    client.bodies.add(entry)
    const share = Math.max(this.share, largest)
    return {
      take: (bytes) => {
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
    const known = this.#clients.get(network)
    if (known) return known
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

  /** A body without bytes is left alone: nothing would be gained. */
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

/** That of this process. */
export const bodyMemory = new BodyMemory()
