import { availableParallelism } from 'node:os'
import {
  type Job,
  type PoolListener,
  type PoolPurpose,
  startThread,
  type Thread,
  type ThreadLimits,
} from './thread.ts'
import { type Owner, Turns } from './turns.ts'

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
export const poolDefaults: PoolLimits = {
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

/** The owner under which requests without one wait. */
const noOwner: Owner = ''

class ThreadPool<Request, Outcome> implements Pool<Request, Outcome>, PoolListener<Request, Outcome> {
  readonly #purpose: PoolPurpose<Request, Outcome>
  readonly #options: PoolLimits
  readonly #threads = new Set<Thread<Request, Outcome>>()
  readonly #idle = new Set<Thread<Request, Outcome>>()
  readonly #waiting = new Turns<Job<Request, Outcome>>()
  /** Threads that each owner occupies. */
  readonly #occupied = new Map<Owner, number>()
  #waitingLength = 0
  #closed = false

  constructor(purpose: PoolPurpose<Request, Outcome>, options: PoolLimits) {
    this.#purpose = purpose
    this.#options = options
  }

  run(request: Request, owner?: Owner, gone?: AbortSignal): Promise<Outcome> {
    const { weigh, refusals } = this.#purpose
    if (gone?.aborted) return Promise.resolve(refusals.gone)
    if (this.#closed || !this.#hasRoom(weigh(request), owner)) return Promise.resolve(refusals.busy)
    return new Promise((resolve) => {
      const leave = () => {
        if (this.#waiting.remove(owner ?? noOwner, job)) this.#leaves(job).done(refusals.gone)
      }
      const done = (outcome: Outcome) => {
        gone?.removeEventListener('abort', leave)
        resolve(outcome)
      }
      const job: Job<Request, Outcome> = { request, owner, gone, done }
      gone?.addEventListener('abort', leave)
      this.#waiting.add(owner ?? noOwner, job)
      this.#waitingLength += weigh(request)
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

  finished({ owner }: Job<Request, Outcome>): void {
    if (owner === undefined) return
    const others = (this.#occupied.get(owner) ?? 1) - 1
    if (others > 0) this.#occupied.set(owner, others)
    else this.#occupied.delete(owner)
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

  #hasRoom(length: number, owner?: Owner): boolean {
    while (this.#full(length, owner)) {
      const tooHeavy = length > this.#options.queueLength
      const evicted = tooHeavy ? undefined : this.#waiting.evict(owner ?? noOwner)
      if (!evicted) return false
      this.#leaves(evicted).done(this.#purpose.refusals.busy)
    }
    return true
  }

  #full(length: number, owner?: Owner): boolean {
    const hasThread = this.#idle.size > 0 || this.#threads.size < this.#options.workers
    if (hasThread && this.#mayOccupy(owner)) return false
    const { queue, queueLength } = this.#options
    return this.#waiting.length >= queue || this.#waitingLength + length > queueLength
  }

  #mayOccupy(owner: Owner | undefined): boolean {
    if (owner === undefined) return true
    return (this.#occupied.get(owner) ?? 0) < Math.max(1, this.#options.workers - 1)
  }

  #leaves(job: Job<Request, Outcome>): Job<Request, Outcome> {
    this.#waitingLength -= this.#purpose.weigh(job.request)
    return job
  }

  #dispatch(): void {
    while (this.#idle.size > 0 || this.#threads.size < this.#options.workers) {
      const job = this.#waiting.next((owner) => owner === noOwner || this.#mayOccupy(owner))
      if (!job) return
      const { owner } = job
      if (owner !== undefined) this.#occupied.set(owner, (this.#occupied.get(owner) ?? 0) + 1)
      this.#nextThread().take(this.#leaves(job))
    }
  }

  #nextThread(): Thread<Request, Outcome> {
    const [idle] = this.#idle
    if (idle !== undefined) {
      this.#idle.delete(idle)
      return idle
    }
    const thread = startThread(this.#purpose, this.#options, this)
    this.#threads.add(thread)
    return thread
  }
}
