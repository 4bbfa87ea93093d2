import { setImmediate as nextImmediate } from 'node:timers/promises'

interface Waiting<Result> {
  result: Promise<Result>
  callers: number
}

/** Passes of the event loop that a run waits for further callers at most. */
const maxPasses = 20

/**
 * Shares one run among identical reads that wait at the same time. A caller only gets the result of a run that started
 * after the caller arrived, so each result is as fresh as that of a separate query: no cache, no expiry, no invalidation.
 */
export class RequestCoalescer<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #waiting = new Map<string, Waiting<Result>>()

  /**
   * Joins the next run for `key`. One run per key is in progress at a time; callers that arrive during it share the next
   * one. A failed run rejects only for its own callers.
   */
  join(key: string, run: () => Promise<Result>): Promise<Result> {
    let next = this.#waiting.get(key)
    if (!next) {
      next = { result: this.#startAfter(this.#running.get(key), key, run), callers: 0 }
      this.#waiting.set(key, next)
    }
    next.callers++
    return next.result
  }

  /** Starts when a pass of the event loop brings no further caller: those of the last run come back soon. */
  async #startAfter(previous: Promise<Result> | undefined, key: string, run: () => Promise<Result>) {
    if (previous) await previous.then(nextImmediate, nextImmediate)
    let before = -1
    for (let pass = 0; pass < maxPasses && this.#callersOf(key) > before; pass++) {
      before = this.#callersOf(key)
      await nextImmediate()
    }
    this.#waiting.delete(key)
    try {
      const result = run()
      this.#running.set(key, result)
      return await result
    } finally {
      this.#running.delete(key)
    }
  }

  #callersOf(key: string): number {
    return this.#waiting.get(key)?.callers ?? 0
  }
}
