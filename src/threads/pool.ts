import { availableParallelism } from 'node:os'
import {
  type Job,
  type Keeper,
  type PoolPurpose,
  startThread,
  type Thread,
  type ThreadLimits,
} from './thread.ts'
import { type Owner, Turns } from './turns.ts'

/** Limits of a pool. */
export interface PoolLimits extends ThreadLimits {
  /** Threads at most; they start when there is work. */
  readonly workers: number
  /** Requests that may wait for a thread; more are refused as busy. */
  readonly queue: number
  /** What all waiting requests may weigh together; one that would pass it is refused as busy. */
  readonly queueLength: number
}

/** One core stays with the main thread. */
export const poolDefaults: PoolLimits = {
  workers: Math.max(1, Math.min(4, availableParallelism() - 1)),
  queue: 100,
  queueLength: 32 * 1024 * 1024,
  timeLimit: 10_000,
  memory: 512,
}

/** Worker threads, so that no request stops the others of the process. */
export interface Pool<Request, Outcome> {
  /**
   * Runs one request in a thread; owners take turns. Never rejects: a full queue, a spent time limit and a dead thread
   * are outcomes. When the queue is full, whoever has most in it makes room for others.
   */
  run(request: Request, owner?: Owner): Promise<Outcome>
  /** Ends all threads; who waits is answered as busy. */
  close(): Promise<void>
}

/** A pool; threads start when there is work. */
export function createPool<Request, Outcome>(
  purpose: PoolPurpose<Request, Outcome>,
  limits: Partial<PoolLimits> = {},
): Pool<Request, Outcome> {
  const pool = new ThreadPool(purpose, { ...poolDefaults, ...limits })
  return { run: (request, owner) => pool.run(request, owner), close: () => pool.close() }
}

class ThreadPool<Request, Outcome> implements Pool<Request, Outcome>, Keeper<Request, Outcome> {
  readonly #purpose: PoolPurpose<Request, Outcome>
  readonly #options: PoolLimits
  readonly #threads = new Set<Thread<Request, Outcome>>()
  readonly #idle = new Set<Thread<Request, Outcome>>()
  readonly #waiting = new Turns<Job<Request, Outcome>>()
  #waitingLength = 0
  #closed = false

  constructor(purpose: PoolPurpose<Request, Outcome>, options: PoolLimits) {
    this.#purpose = purpose
    this.#options = options
  }

  run(request: Request, owner: Owner = ''): Promise<Outcome> {
    if (this.#closed || !this.#hasRoom(this.#purpose.weigh(request), owner))
      return Promise.resolve(this.#purpose.refusals.busy)
    return new Promise((done) => {
      this.#waiting.add(owner, { request, done })
      this.#waitingLength += this.#purpose.weigh(request)
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    const { busy } = this.#purpose.refusals
    for (let job = this.#waiting.next(); job; job = this.#waiting.next()) job.done(busy)
    const threads = [...this.#threads]
    for (const thread of threads) thread.retire(busy)
    await Promise.all(threads.map((thread) => thread.end()))
  }

  busy(): number {
    return this.#threads.size - this.#idle.size
  }

  free(thread: Thread<Request, Outcome>): void {
    this.#idle.add(thread)
    this.#dispatch()
  }

  gone(thread: Thread<Request, Outcome>): void {
    this.#threads.delete(thread)
    this.#idle.delete(thread)
    this.#dispatch()
  }

  #hasRoom(length: number, owner: Owner): boolean {
    while (this.#full(length)) {
      const displaced = length > this.#options.queueLength ? undefined : this.#waiting.displace(owner)
      if (!displaced) return false
      this.#leaves(displaced).done(this.#purpose.refusals.busy)
    }
    return true
  }

  #full(length: number): boolean {
    if (this.#idle.size > 0 || this.#threads.size < this.#options.workers) return false
    const { queue, queueLength } = this.#options
    return this.#waiting.length >= queue || this.#waitingLength + length > queueLength
  }

  #leaves(job: Job<Request, Outcome>): Job<Request, Outcome> {
    this.#waitingLength -= this.#purpose.weigh(job.request)
    return job
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#nextThread()
      const job = thread && this.#waiting.next()
      if (!thread || !job) return
      thread.take(this.#leaves(job))
    }
  }

  #nextThread(): Thread<Request, Outcome> | undefined {
    const [idle] = this.#idle
    if (idle !== undefined) {
      this.#idle.delete(idle)
      return idle
    }
    if (this.#threads.size >= this.#options.workers) return undefined
    const thread = startThread(this.#purpose, this.#options, this)
    this.#threads.add(thread)
    return thread
  }
}
