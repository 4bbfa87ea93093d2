import { LRUCache } from 'lru-cache'

/** How many failures are allowed at once. */
export interface FailureLimit {
  readonly failures: number
  /** Milliseconds after which one failure is forgotten. */
  readonly forgottenAfter: number
}

/** The failure level at a moment. It is fractional, since it decreases continuously. */
interface Count {
  level: number
  /** Milliseconds since 1970. */
  at: number
}

/** Maximum number of keys counted. The oldest are dropped first. */
const maxEntries = 10_000

/** The level of a key is capped at this multiple of its limit, which bounds its waiting time. */
const maxLevelFactor = 3

/** Counts failures by key in a leaky bucket: each count decreases with time, one failure after the other. */
export class FailureCounts {
  readonly #counts = new LRUCache<string, Count>({ max: maxEntries })

  constructor(readonly limit: FailureLimit) {}

  /** Milliseconds until the key may be tried again; 0: now. `allowed` replaces the usual limit for this call. */
  wait(key: string, now: Date, allowed: number = this.limit.failures): number {
    const tooMany = this.#levelOf(key, now) + 1 - allowed
    return Math.max(0, Math.round(tooMany * this.limit.forgottenAfter))
  }

  /** Counts a failure. Returns whether this failure reaches the limit. */
  add(key: string, now: Date): boolean {
    const { failures } = this.limit
    const before = this.#levelOf(key, now)
    const level = Math.min(before + 1, maxLevelFactor * failures)
    this.#counts.set(key, { level, at: now.getTime() })
    return before + 1 <= failures && level + 1 > failures
  }

  /** Forgets all failures of a key. */
  clear(key: string): void {
    this.#counts.delete(key)
  }

  #levelOf(key: string, now: Date): number {
    const count = this.#counts.peek(key)
    if (!count) return 0
    // If the clock was set back, forgetting begins now, not when the clock reaches the former time again.
    count.at = Math.min(count.at, now.getTime())
    const elapsed = now.getTime() - count.at
    return Math.max(0, count.level - elapsed / this.limit.forgottenAfter)
  }
}
