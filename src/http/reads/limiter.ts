import { unavailable } from '../route/problem.ts'

/**
 * Bounds what waits, mostly for the database: at most `places` runs at once, each for at most `milliseconds`.
 * Past either bound the caller gets a 503 with `Retry-After` instead of a place in a queue that only grows. A run that
 * is too late keeps its place until it ends; its result is dropped.
 */
export class Limiter {
  #running = 0
  #closed: string | undefined

  constructor(
    readonly places: number,
    readonly milliseconds: number,
  ) {}

  /** Lets nobody in until it is opened; the reason is for the log. */
  close(reason: string): void {
    this.#closed = reason
  }

  open(): void {
    this.#closed = undefined
  }

  /**
   * @throws Problem 503 when it is closed, when no place is free, or when the run took too long
   */
  pass<Result>(run: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) throw unavailable('the database is away', this.#closed)
      if (this.#running >= this.places) {
        throw unavailable('the server is busy', `all ${this.places} places are taken`)
      }
      this.#running++
      const log = `no answer within ${this.milliseconds} ms`
      const late = () => reject(unavailable('the answer takes too long', log))
      const timer = setTimeout(late, this.milliseconds).unref()
      run()
        .finally(() => {
          this.#running--
          clearTimeout(timer)
        })
        .then(resolve, reject)
    })
  }
}
