import { availableParallelism } from 'node:os'
import { type RenderOutcome, type RenderRequest, refuse } from './request.ts'
import { type Job, type Keeper, startThread, type Thread } from './thread.ts'

/** Limits of the pool. */
export interface PoolOptions {
  /** Threads at most; they start when there is work. */
  readonly workers: number
  /** Texts that may wait for a thread; more are refused with `busy`. */
  readonly queue: number
  /** UTF-16 units all waiting texts may have together; a text that would pass them is refused with `busy`. */
  readonly queueLength: number
  /** Milliseconds a text may take, the start of a thread included; then its thread is ended: `timeout`. */
  readonly timeLimit: number
  /** Mebibytes of memory a text may take; beyond that its thread is ended: `memory`. */
  readonly memory: number
}

/** One core stays with the main thread. Ten seconds are enough for two megabytes on a slow machine. */
export const poolDefaults: PoolOptions = {
  workers: Math.max(1, Math.min(4, availableParallelism() - 1)),
  queue: 100,
  queueLength: 32 * 1024 * 1024,
  timeLimit: 10_000,
  memory: 512,
}

/** Worker threads that render, so that no text stops the requests of others. */
export interface Pool {
  /** Renders in a thread. Never rejects: a full queue, a spent time limit and a dead thread are outcomes. */
  run(request: RenderRequest): Promise<RenderOutcome>
  /** Ends all threads; who waits is answered with `busy`. */
  close(): Promise<void>
}

export function createPool(limits: Partial<PoolOptions> = {}): Pool {
  const pool = new ThreadPool({ ...poolDefaults, ...limits })
  return { run: (request) => pool.run(request), close: () => pool.close() }
}

const busy = refuse('busy', 'too many texts are waiting to be rendered, try again soon')

class ThreadPool implements Pool, Keeper {
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread>()
  readonly #idle = new Set<Thread>()
  readonly #waiting: Job[] = []
  #waitingLength = 0
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  run(request: RenderRequest): Promise<RenderOutcome> {
    if (this.#closed || this.#full(request.text.length)) return Promise.resolve(busy)
    return new Promise((done) => {
      this.#waiting.push({ request, done })
      this.#waitingLength += request.text.length
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#waiting.splice(0)) job.done(busy)
    const threads = [...this.#threads]
    for (const thread of threads) thread.retire(busy)
    await Promise.all(threads.map((thread) => thread.end()))
  }

  busy(): number {
    return this.#threads.size - this.#idle.size
  }

  free(thread: Thread): void {
    this.#idle.add(thread)
    this.#dispatch()
  }

  gone(thread: Thread): void {
    this.#threads.delete(thread)
    this.#idle.delete(thread)
    this.#dispatch()
  }

  #full(length: number): boolean {
    if (this.#idle.size > 0 || this.#threads.size < this.#options.workers) return false
    const { queue, queueLength } = this.#options
    return this.#waiting.length >= queue || this.#waitingLength + length > queueLength
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#nextThread()
      const job = thread === undefined ? undefined : this.#waiting.shift()
      if (thread === undefined || job === undefined) return
      this.#waitingLength -= job.request.text.length
      thread.take(job)
    }
  }

  #nextThread(): Thread | undefined {
    const [idle] = this.#idle
    if (idle !== undefined) {
      this.#idle.delete(idle)
      return idle
    }
    if (this.#threads.size >= this.#options.workers) return undefined
    const thread = startThread(this.#options, this)
    this.#threads.add(thread)
    return thread
  }
}
