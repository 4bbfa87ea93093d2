import { unavailable } from '../route/problem.ts'

/**
 * Limits concurrent work, mostly on the database: at most `slots` runs at once, each for at most `milliseconds`. Beyond
 * either limit the caller gets a 503 with `Retry-After` instead of waiting in an ever-growing queue. A run that takes
 * too long keeps its slot until it ends; its result is dropped.
 */
export class Limiter {
  #running = 0
  #closed: string | undefined

  constructor(
    readonly slots: number,
    readonly milliseconds: number,
  ) {}

  /** Refuses every run until it is opened; the reason is for the log. */
  close(reason: string): void {
    this.#closed = reason
  }

  open(): void {
    this.#closed = undefined
  }

  /** @throws Problem 503 if it is closed, no slot is free, or the run takes too long */
  run<Result>(run: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) throw unavailable('the database is away', this.#closed)
      if (this.#running >= this.slots) {
        throw unavailable('the server is busy', `all ${this.slots} slots are in use`)
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
