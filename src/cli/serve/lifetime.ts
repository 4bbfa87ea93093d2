import { setTimeout as pause } from 'node:timers/promises'
import type { Running } from '../../background/recurring.ts'
import type { OperatorError } from '../../common/errors.ts'

/** The work of a server besides requests, until it stops. */
export class Lifetime {
  readonly #running: Running[] = []
  #isStopping = false
  #reject: (error: OperatorError) => void = () => {}
  /** Rejects when the server has to end, because an operator must change something. */
  readonly failed = new Promise<never>((_, reject) => {
    this.#reject = reject
  })

  constructor() {
    // It may reject before anything waits for it.
    this.failed.catch(() => {})
  }

  /** Whether the database is about to be closed. */
  readonly isStopping = (): boolean => this.#isStopping

  readonly giveUp = (error: OperatorError): void => this.#reject(error)

  add(...running: readonly Running[]): void {
    this.#running.push(...running)
  }

  /** Stops all work; waits at most so many milliseconds. */
  async end(milliseconds: number): Promise<void> {
    this.#isStopping = true
    const stopped = Promise.all(this.#running.map((each) => each.stop()))
    await Promise.race([stopped, pause(milliseconds, undefined, { ref: false })])
  }
}
