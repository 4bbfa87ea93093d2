import { unavailable } from './problem.ts'
import { type Place, Ring } from './ring.ts'

/**
 * Bounds what waits, mostly for the database: at most `places` runs at once, each for at most `milliseconds`.
 * Past the first, or after the second, the caller gets a 503 with `Retry-After` instead of a place in a queue
 * that only grows. A run that came too late goes on by itself; its result is dropped.
 */
export class Gate {
  #running = 0
  #closed: string | undefined
  /** Who waits for a run, in the order in which they came: the first is the first to be late. */
  readonly #waiting = new Ring<Waiting>()
  /** Rings when the first of them may be late. One for all: a clock for each run would cost more than the gate itself. */
  #clock: NodeJS.Timeout | undefined

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
      const waiting = this.#waiting.add({ since: performance.now(), reject })
      this.#clock ??= this.#ringIn(this.milliseconds)
      run().then(
        (result) => {
          this.#leave(waiting)
          resolve(result)
        },
        (error) => {
          this.#leave(waiting)
          reject(error)
        },
      )
    })
  }

  #leave(waiting: Place<Waiting>): void {
    this.#running--
    this.#waiting.delete(waiting)
  }

  #ringIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#refuseLate(), milliseconds).unref()
  }

  #refuseLate(): void {
    this.#clock = undefined
    const now = performance.now()
    for (let first = this.#waiting.first(); first; first = this.#waiting.first()) {
      const { since, reject } = first.item
      const left = since + this.milliseconds - now
      if (left > 0) {
        this.#clock = this.#ringIn(left)
        return
      }
      this.#waiting.delete(first)
      const log = `no answer within ${this.milliseconds} ms`
      reject(unavailable('the answer takes too long', log))
    }
  }
}

interface Waiting {
  since: number
  reject: (error: unknown) => void
}
