import { FairQueue, type Place } from './fair-queue.ts'
import { newUsage, type Usage } from './usage.ts'

/** Limits of concurrent work. */
interface Limits {
  /** Maximum number of runs at once. */
  readonly concurrency: number
  /** Maximum number of waiting callers. */
  readonly queue: number
  /** Maximum total weight of the waiting callers. */
  readonly queueWeight?: number
  /** Maximum number of runs at once of callers with the same first key, unless that is undefined. */
  readonly concurrencyPerKey?: number
  /** Maximum duration of a run in milliseconds, without the time in the queue. */
  readonly milliseconds?: number
  /** Where to count. */
  readonly usage?: Usage
}

/** The caller that requests a slot; `signal` removes it from the queue. */
export interface Caller extends Partial<Place> {
  readonly signal?: AbortSignal | undefined
}

/** Gives a slot back; further calls do nothing. */
export type Release = () => void

/** The queue is full or another caller has taken the place in it; the signal fired; the run takes too long. */
export class LimitError extends Error {
  constructor(readonly reason: 'busy' | 'cancelled' | 'late') {
    super(`The limit on concurrent work was reached: ${reason}`)
  }
}

interface Waiter extends Place {
  start: (release: Release) => void
  reject: (error: LimitError) => void
}

/** Bounds concurrent work, and the callers that wait for it, who take turns by their keys. */
export class Limiter {
  readonly #limits: Limits
  readonly #usage: Usage
  readonly #queue = new FairQueue<Waiter>()
  readonly #runningByKey = new Map<string | number, number>()
  #running = 0
  #waiting = 0

  constructor(limits: Limits) {
    this.#limits = limits
    this.#usage = limits.usage ?? newUsage()
  }

  /** Number of slots in use. */
  get running(): number {
    return this.#running
  }

  /** Runs `work` in a slot. Work that takes too long keeps its slot until it ends. @throws LimitError */
  run<Result>(work: () => Promise<Result>, caller?: Caller): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#runInSlot(work, caller, () => reject(new LimitError('late'))).then(resolve, reject)
    })
  }

  async #runInSlot<Result>(
    work: () => Promise<Result>,
    caller: Caller | undefined,
    late: () => void,
  ): Promise<Result> {
    const release = await this.acquire(caller)
    const { milliseconds } = this.#limits
    const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      release()
    }
  }

  /** Waits for a slot. @throws LimitError busy, cancelled */
  acquire({ keys = [], isPreferred = false, weight = 0, signal }: Caller = {}): Promise<Release> {
    return new Promise((start, reject) => {
      if (signal?.aborted) throw new LimitError('cancelled')
      const waiter: Waiter = { keys, isPreferred, weight, start, reject }
      if (this.#waiting === 0 && this.#running < this.#limits.concurrency && this.#mayRun(keys[0]))
        return this.#start(waiter)
      const leave = () => this.#reject(waiter, 'cancelled')
      signal?.addEventListener('abort', leave, { once: true })
      waiter.start = (release) => {
        signal?.removeEventListener('abort', leave)
        start(release)
      }
      this.#queue.add(waiter)
      this.#countWaiting(1)
      this.#startWaiting()
      if (weight > (this.#limits.queueWeight ?? Number.POSITIVE_INFINITY)) this.#reject(waiter, 'busy')
      while (this.#isOverfull()) this.#reject(this.#queue.mostCrowded(), 'busy')
    })
  }

  #isOverfull(): boolean {
    const { queue, queueWeight = Number.POSITIVE_INFINITY } = this.#limits
    return this.#queue.length > queue || this.#queue.weight > queueWeight
  }

  #reject(waiter: Waiter | undefined, reason: LimitError['reason']): void {
    if (!waiter || !this.#queue.remove(waiter)) return
    this.#countWaiting(-1)
    // Whoever leaves the queue was not refused.
    if (reason === 'busy') this.#usage.rejected++
    waiter.reject(new LimitError(reason))
  }

  /** Gives free slots to waiting callers before any newcomer can take them. */
  #startWaiting(): void {
    while (this.#waiting > 0 && this.#running < this.#limits.concurrency) {
      const waiter = this.#queue.next(({ keys: [key] }) => this.#mayRun(key))
      if (!waiter) return
      this.#countWaiting(-1)
      this.#start(waiter)
    }
  }

  #start(waiter: Waiter): void {
    this.#usage.started++
    this.#count(waiter, 1)
    waiter.start(this.#releaseOf(waiter))
  }

  #countWaiting(by: 1 | -1): void {
    this.#waiting += by
    this.#usage.waiting += by
  }

  #mayRun(key: string | number | undefined): boolean {
    const { concurrencyPerKey = Number.POSITIVE_INFINITY } = this.#limits
    return key === undefined || (this.#runningByKey.get(key) ?? 0) < concurrencyPerKey
  }

  #releaseOf(waiter: Waiter): Release {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#count(waiter, -1)
      this.#startWaiting()
    }
  }

  #count({ keys: [key] }: Waiter, by: 1 | -1): void {
    this.#running += by
    this.#usage.running += by
    if (key === undefined) return
    const running = (this.#runningByKey.get(key) ?? 0) + by
    if (running > 0) this.#runningByKey.set(key, running)
    else this.#runningByKey.delete(key)
  }
}
