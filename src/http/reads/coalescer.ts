import { setImmediate as nextPass } from 'node:timers/promises'

/** Maximum passes of the event loop for which a run waits for further callers. */
const maxPasses = 20

/**
 * Shares one run among identical reads that wait at the same time. A caller only gets the result of a run that started
 * after the caller arrived, so each result is as fresh as that of a separate query: no cache, no expiry, no invalidation.
 */
export class RequestCoalescer<Result, Caller = void> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #waiting = new Map<string, { result: Promise<Result>; callers: [Caller, ...Caller[]] }>()
  /** Keys with callers that have joined since the last pass. */
  readonly #joined = new Set<string>()

  /**
   * Joins the next run for `key`, which gets all its callers; runs of one key do not overlap. A failed run rejects only for
   * its own callers.
   */
  join(
    key: string,
    run: (callers: readonly [Caller, ...Caller[]]) => Promise<Result>,
    caller: Caller,
  ): Promise<Result> {
    this.#joined.add(key)
    const waiting = this.#waiting.get(key)
    if (waiting) {
      waiting.callers.push(caller)
      return waiting.result
    }
    const callers: [Caller, ...Caller[]] = [caller]
    const result = this.#runNext(key, () => run(callers))
    this.#waiting.set(key, { result, callers })
    return result
  }

  /** Starts after a pass of the event loop without a further caller: those of the last run often return at once. */
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
