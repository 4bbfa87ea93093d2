import { LimitError, Limiter } from '../../limiter/limiter.ts'
import { busy, type Problem, unavailable } from '../route/problem.ts'

/**
 * Bounds the work that uses the database: at most `slots` runs at once, half of them for one client, each for at most
 * `milliseconds`. Beyond a limit the caller gets a 503 with `Retry-After` instead of waiting in a queue that grows.
 */
export class DatabaseLimiter {
  readonly #limiter: Limiter
  /** The sentence for callers while it is closed. */
  #closed: string | undefined

  constructor(
    readonly slots: number,
    readonly milliseconds: number,
  ) {
    const concurrencyPerKey = Math.ceil(slots / 2)
    this.#limiter = new Limiter({ concurrency: slots, concurrencyPerKey, queue: 0, milliseconds })
  }

  /** Number of runs in progress. */
  get running(): number {
    return this.#limiter.running
  }

  get isOpen(): boolean {
    return this.#closed === undefined
  }

  /** Rejects every run with this sentence until it is opened. */
  close(sentence = 'the database is away'): void {
    this.#closed = sentence
  }

  open(): void {
    this.#closed = undefined
  }

  /**
   * `client` is the network of the client that waits for the work; undefined: the server itself.
   * @throws Problem 503 if it is closed, no slot is free for the client, or the run takes too long
   */
  async run<Result>(work: () => Promise<Result>, client?: string): Promise<Result> {
    // Without a line for each request in the log: `prepare.ts` has logged it once.
    if (this.#closed !== undefined) throw unavailable(this.#closed)
    try {
      return await this.#limiter.run(work, { keys: [client] })
    } catch (error) {
      throw error instanceof LimitError ? this.#problemOf(error) : error
    }
  }

  #problemOf({ reason }: LimitError): Problem {
    if (reason === 'late')
      return busy('the answer takes too long', `no answer within ${this.milliseconds} ms`)
    return busy('the server is busy', `all ${this.slots} slots, or half of them by one client, are in use`)
  }
}
