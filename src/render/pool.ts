import { availableParallelism } from 'node:os'
import { type RenderOutcome, type RenderRequest, refuse } from './request.ts'
import { type Job, startThread, type Thread } from './thread.ts'

/** Limits of the pool. */
export interface PoolOptions {
  /** Threads at most; they start when there is work. */
  readonly workers: number
  /** Texts that may wait for a thread; more are refused with `busy`. */
  readonly queue: number
  /** Milliseconds a text may take, the start of a thread included; then its thread is ended: `timeout`. */
  readonly timeLimit: number
  /** Mebibytes of memory a text may take; beyond that its thread is ended: `memory`. */
  readonly memory: number
}

/** One core stays with the main thread. Ten seconds are enough for two megabytes on a slow machine. */
export const poolDefaults: PoolOptions = {
  workers: Math.max(1, Math.min(4, availableParallelism() - 1)),
  queue: 100,
  timeLimit: 10_000,
  memory: 512,
}

/** Worker threads that render, so that no text stops the requests of others. */
export interface Pool {
  /** Renders in a thread. Never rejects: a full queue, a spent time limit and a dead thread are outcomes. */
  run(request: RenderRequest): Promise<RenderOutcome>
  /** Ends all threads; what waits is answered with `busy`. */
  close(): Promise<void>
}

const busy = refuse('busy', 'too many texts are waiting to be rendered, try again soon')

export function createPool(limits: Partial<PoolOptions> = {}): Pool {
  const options = { ...poolDefaults, ...limits }
  const idle: Thread[] = []
  const threads = new Set<Thread>()
  const waiting: Job[] = []
  let closed = false

  function dispatch(): void {
    while (waiting.length > 0) {
      const thread = idle.pop() ?? (threads.size < options.workers ? start() : undefined)
      const job = thread === undefined ? undefined : waiting.shift()
      if (job === undefined) return
      thread?.take(job)
    }
  }

  function start(): Thread {
    const thread = startThread(options, {
      busy: () => threads.size - idle.length,
      free: (self) => {
        idle.push(self)
        dispatch()
      },
      gone: (self) => {
        threads.delete(self)
        const at = idle.indexOf(self)
        if (at >= 0) idle.splice(at, 1)
        dispatch()
      },
    })
    threads.add(thread)
    return thread
  }

  return {
    run: (request) => {
      const free = idle.length > 0 || threads.size < options.workers
      if (closed || (!free && waiting.length >= options.queue)) return Promise.resolve(busy)
      return new Promise((done) => {
        waiting.push({ request, done })
        dispatch()
      })
    },
    close: async () => {
      closed = true
      for (const job of waiting.splice(0)) job.done(busy)
      const ending = [...threads].map((thread) => {
        thread.retire(busy)
        return thread.end()
      })
      await Promise.all(ending)
    },
  }
}
