import { availableParallelism } from 'node:os'
import { LimitError, Limiter, type Release } from '../limiter/limiter.ts'
import { usageOf } from '../limiter/usage.ts'
import { type PoolListener, type PoolPurpose, startThread, type Thread, type ThreadLimits } from './thread.ts'

/** The owner of a request: an id, or a name. */
export type Owner = number | string

/** Limits of a pool. */
export interface PoolLimits extends ThreadLimits {
  /** Maximum number of threads; they start when there is work. */
  readonly workers: number
  /** Maximum number of waiting requests; more are refused as busy. */
  readonly queue: number
  /** Maximum total weight of waiting requests; a request that would exceed it is refused as busy. */
  readonly queueLength: number
}

/** One core is left to the main thread; at least two threads, so that one owner cannot occupy all of them. */
const poolDefaults: PoolLimits = {
  workers: Math.max(2, Math.min(4, availableParallelism() - 1)),
  queue: 100,
  queueLength: 32 * 1024 * 1024,
  timeLimit: 10_000,
  memory: 512,
}

/** Worker threads, so that no request blocks the others of the process. */
export interface Pool<Request, Outcome> {
  /**
   * Runs one request in a thread; owners take turns. Never rejects: a full queue, a reached time limit and a dead
   * thread are outcomes. When the queue is full, the owner with most requests in it loses one. An owner occupies at
   * most all threads but one; requests without an owner are not limited this way. A request whose `gone` is aborted
   * leaves the queue, or its thread if it takes long.
   */
  run(request: Request, owner?: Owner, gone?: AbortSignal): Promise<Outcome>
  /** Ends all threads; waiting requests are answered as busy. */
  close(): Promise<void>
}

/** A pool; threads start when there is work. */
export function createPool<Request, Outcome>(
  purpose: PoolPurpose<Request, Outcome>,
  limits: Partial<PoolLimits> = {},
): Pool<Request, Outcome> {
  const pool = new ThreadPool(purpose, { ...poolDefaults, ...limits })
  return { run: (request, owner, gone) => pool.run(request, owner, gone), close: () => pool.close() }
}

class ThreadPool<Request, Outcome> implements Pool<Request, Outcome>, PoolListener<Request, Outcome> {
  readonly #purpose: PoolPurpose<Request, Outcome>
  readonly #options: PoolLimits
  readonly #limiter: Limiter
  readonly #threads = new Set<Thread<Request, Outcome>>()
  readonly #idle = new Set<Thread<Request, Outcome>>()
  #closed = false

  constructor(purpose: PoolPurpose<Request, Outcome>, options: PoolLimits) {
    this.#purpose = purpose
    this.#options = options
    this.#limiter = new Limiter({
      concurrency: options.workers,
      concurrencyPerKey: Math.max(1, options.workers - 1),
      queue: options.queue,
      queueWeight: options.queueLength,
      usage: usageOf(purpose.kind),
    })
  }

  async run(request: Request, owner?: Owner, gone?: AbortSignal): Promise<Outcome> {
    const { weigh, refusals } = this.#purpose
    let release: Release
    try {
      release = await this.#limiter.acquire({ keys: [owner], weight: weigh(request), signal: gone })
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      return error.reason === 'cancelled' ? refusals.gone : refusals.busy
    }
    try {
      return this.#closed ? refusals.busy : await this.#inThread(request, gone)
    } finally {
      release()
    }
  }

  #inThread(request: Request, gone: AbortSignal | undefined): Promise<Outcome> {
    return new Promise((done) => this.#nextThread().take({ request, gone, done }))
  }

  async close(): Promise<void> {
    this.#closed = true
    const threads = [...this.#threads]
    for (const thread of threads) thread.retire(this.#purpose.refusals.busy)
    await Promise.all(threads.map((thread) => thread.end()))
  }

  busy(): number {
    return this.#threads.size - this.#idle.size
  }

  free(thread: Thread<Request, Outcome>): void {
    this.#idle.add(thread)
  }

  gone(thread: Thread<Request, Outcome>): void {
    this.#threads.delete(thread)
    this.#idle.delete(thread)
  }

  #nextThread(): Thread<Request, Outcome> {
    // The last one used: its code is compiled and its memory in the caches.
    const idle = [...this.#idle].at(-1)
    if (idle !== undefined) {
      this.#idle.delete(idle)
      return idle
    }
    const thread = startThread(this.#purpose, this.#options, this)
    this.#threads.add(thread)
    return thread
  }
}
