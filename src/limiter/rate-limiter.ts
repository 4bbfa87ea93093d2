import { LRUCache } from 'lru-cache'

/** How many units a client may use in a time, also all at once. */
export interface Rate {
  amount: number
  milliseconds: number
}

/** Maximum number of clients in memory; the one whose last request is the oldest is removed first. */
const maxClients = 100_000

/**
 * Bounds how many units each client uses in a time (generic cell rate algorithm, ITU-T I.371): units become available
 * again one after another, evenly. Stores one number for each client: the time until which its units are spent.
 */
export class RateLimiter<Key extends string | number> {
  readonly #spentUntil = new LRUCache<Key, number>({ max: maxClients })

  constructor(readonly rate: Rate) {}

  /** Takes one unit of a client and returns 0; or takes none and returns the milliseconds until there is one. */
  take(client: Key, now: Date): number {
    const { amount, milliseconds } = this.rate
    const at = now.getTime()
    // A clock that was set back must not lock anybody out.
    const spentUntil = Math.min(Math.max(this.#spentUntil.get(client) ?? 0, at), at + milliseconds)
    const after = spentUntil + milliseconds / amount
    // A tolerance, because sums of fractions are not exact.
    const wait = after - at - milliseconds
    if (wait > 1e-6) return wait
    this.#spentUntil.set(client, after)
    return 0
  }
}
