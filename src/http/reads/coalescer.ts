import { setImmediate as nextImmediate } from 'node:timers/promises'

/**
 * Shares runs between identical reads that wait at the same time. A caller gets only a run that starts after the caller
 * has arrived, so each answer is as fresh as a query of its own: there is no cache, no expiry and no invalidation.
 */
export class RequestCoalescer<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #waiting = new Map<string, Promise<Result>>()

  /**
   * Joins the next run for `key`. Only one run per key is in progress at a time; callers that arrive meanwhile share
   * the one after it. A failed run rejects for its own callers only.
   */
  join(key: string, run: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key)
    if (waiting) return waiting
    const next = this.#startAfter(this.#running.get(key), key, run)
    this.#waiting.set(key, next)
    return next
  }

  /** Waits for one event-loop tick, so that all requests that arrive in it share the run. */
  async #startAfter(previous: Promise<Result> | undefined, key: string, run: () => Promise<Result>) {
    await previous?.catch(() => {})
    await nextImmediate()
    this.#waiting.delete(key)
    try {
      const result = run()
      this.#running.set(key, result)
      return await result
    } finally {
      this.#running.delete(key)
    }
  }
}
