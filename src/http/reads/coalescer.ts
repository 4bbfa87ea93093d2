import { setImmediate as nextPass } from 'node:timers/promises'

/** Passes of the event loop that a run waits for further callers at most. */
const maxPasses = 20

/**
 * Shares one run among identical reads that wait at the same time. A caller only gets the result of a run that started
 * after the caller arrived, so each result is as fresh as that of a separate query: no cache, no expiry, no invalidation.
 */
export class RequestCoalescer<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #waiting = new Map<string, Promise<Result>>()
  /** Keys with callers that came since the run for them last looked. */
  readonly #joined = new Set<string>()

  /** Joins the next run for `key`, of which one is in progress at a time. A failed run rejects only for its own callers. */
  join(key: string, run: () => Promise<Result>): Promise<Result> {
    this.#joined.add(key)
    const waiting = this.#waiting.get(key)
    if (waiting) return waiting
    const next = this.#runNext(key, run)
    this.#waiting.set(key, next)
    return next
  }

  /** Starts when a pass of the event loop brings no further caller: those of the last run come back soon. */
  async #runNext(key: string, run: () => Promise<Result>): Promise<Result> {
    await this.#running.get(key)?.catch(() => {})
    await nextPass()
    for (let pass = 0; this.#joined.delete(key) && pass < maxPasses; pass++) await nextPass()
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
