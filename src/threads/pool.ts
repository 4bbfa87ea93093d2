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
  /** Maximum number of waiting requests; further ones are answered as busy. */
  readonly queue: number
  /** Maximum total weight of waiting requests; a request that would exceed it is answered as busy. */
  readonly queueLength: number
}

/** The main thread needs one core; there are at least two threads, so that one owner cannot occupy all of them. */
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
   * thread are outcomes. When the queue is full, the owner with the most requests in it loses one. An owner occupies at
   * most all threads but one; requests without an owner are not limited this way. A request whose `gone` is aborted
   * leaves the queue, or its thread if it takes long.
   */
  run(request: Request, owner?: Owner, gone?: AbortSignal): Promise<Outcome>
  /** Ends all threads; waiting requests are answered as busy. */
  close(): Promise<void>
}

export function createPool<Request, Outcome>(
  purpose: PoolPurpose<Request, Outcome>,
  limits: Partial<PoolLimits> = {},
): Pool<Request, Outcome> {
  const { kind, weigh, unanswered } = purpose
  const options = { ...poolDefaults, ...limits }
  const limiter = new Limiter({
    concurrency: options.workers,
    concurrencyPerKey: Math.max(1, options.workers - 1),
    queue: options.queue,
    queueWeight: options.queueLength,
    usage: usageOf(kind),
  })
  const threads = createThreads(purpose, options)
  let closed = false
  return {
    run: async (request, owner, gone) => {
      let release: Release
      try {
        release = await limiter.acquire({ keys: [owner], weight: weigh(request), signal: gone })
      } catch (error) {
        if (!(error instanceof LimitError)) throw error
        return error.reason === 'cancelled' ? unanswered.gone : unanswered.busy
      }
      try {
        if (closed) return unanswered.busy
        return await new Promise<Outcome>((done) => threads.next().take({ request, gone, done }))
      } finally {
        release()
      }
    },
    close: () => {
      closed = true
      return threads.end()
    },
  }
}

/** The threads of a pool: those with a job, and the idle ones. */
function createThreads<Request, Outcome>(purpose: PoolPurpose<Request, Outcome>, limits: ThreadLimits) {
  const all = new Set<Thread<Request, Outcome>>()
  const idle = new Set<Thread<Request, Outcome>>()
  const listener: PoolListener<Request, Outcome> = {
    busy: () => all.size - idle.size,
    free: (thread) => idle.add(thread),
    gone: (thread) => {
      all.delete(thread)
      idle.delete(thread)
    },
  }
  return {
    next: () => {
      // The last one used: its code is compiled and its memory in the caches.
      const thread = [...idle].at(-1) ?? startThread(purpose, limits, listener)
      idle.delete(thread)
      all.add(thread)
      return thread
    },
    end: async () => {
      const ended = [...all]
      for (const thread of ended) thread.retire(purpose.unanswered.busy)
      await Promise.all(ended.map((thread) => thread.end()))
    },
  }
}
