/** How many failures are allowed at once. */
export interface FailureLimit {
  readonly failures: number
  /** Time after which one of them is forgotten, in milliseconds. */
  readonly forgottenAfter: number
}

/** A number of failures at a moment. It is not whole: it decreases steadily. */
interface Count {
  level: number
  /** Milliseconds since 1970. */
  at: number
}

/** Keys that are counted at one time. The oldest make room. */
const most = 10_000

/** No key has more failures than so many times its limit, which bounds how long it has to wait. */
const ceiling = 3

/** Counts failures by key. Each count decreases with time, one failure after the other (a leaky bucket). */
export class FailureCounts {
  readonly #limit: FailureLimit
  readonly #counts = new Map<string, Count>()

  constructor(limit: FailureLimit) {
    this.#limit = limit
  }

  /** Milliseconds until the key may be tried again; 0: now. `allowed` is a limit for this time instead of the usual. */
  wait(key: string, now: Date, allowed: number = this.#limit.failures): number {
    const tooMany = this.#levelOf(key, now) + 1 - allowed
    return Math.max(0, Math.round(tooMany * this.#limit.forgottenAfter))
  }

  /** Counts a failure. Gives whether it is the one that reaches the limit. */
  add(key: string, now: Date): boolean {
    const { failures } = this.#limit
    const before = this.#levelOf(key, now)
    const level = Math.min(before + 1, ceiling * failures)
    this.#counts.delete(key)
    this.#counts.set(key, { level, at: now.getTime() })
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > most && oldest !== undefined) this.#counts.delete(oldest)
    return before + 1 <= failures && level + 1 > failures
  }

  /** Forgets all failures of a key. */
  clear(key: string): void {
    this.#counts.delete(key)
  }

  #levelOf(key: string, now: Date): number {
    const count = this.#counts.get(key)
    if (!count) return 0
    const elapsed = Math.max(0, now.getTime() - count.at)
    return Math.max(0, count.level - elapsed / this.#limit.forgottenAfter)
  }
}
