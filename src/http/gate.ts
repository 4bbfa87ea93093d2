import { unavailable } from './problem.ts'

/**
 * Bounds what waits for the database: at most `places` runs at once, each for at most `milliseconds`.
 * Past the first, or after the second, the caller gets a 503 with `Retry-After` instead of a place in a queue
 * that only grows. A run that came too late goes on by itself; its result is dropped.
 */
export class Gate {
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
  async pass<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) throw unavailable('the database is away', this.#closed)
    if (this.#running >= this.places) {
      throw unavailable('the server is busy', `all ${this.places} places are taken`)
    }
    this.#running++
    const work = run().finally(() => this.#running--)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(unavailable('the database does not answer', `no answer within ${this.milliseconds} ms`)),
        this.milliseconds,
      )
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
