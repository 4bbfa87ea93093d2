import source from 'worker:./worker.ts'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type RenderOutcome, type RenderRequest, refuse } from './request.ts'

/** Limits of the pool. */
export interface PoolOptions {
  /** Threads at most; they start when there is work. */
  readonly workers: number
  /** Texts that may wait for a thread; more are refused with `busy`. */
  readonly queue: number
  /** Milliseconds a text may take, the start of a thread included; then its thread is ended: `timeout`. */
  readonly timeLimit: number
  /** Mebibytes of memory a thread may take; beyond that it is ended: `memory`. */
  readonly memory: number
}

/** One core stays with the main thread; twenty seconds are an 8 MB text's time on a slow machine. */
export const poolDefaults: PoolOptions = {
  workers: Math.max(1, Math.min(4, availableParallelism() - 1)),
  queue: 100,
  timeLimit: 20_000,
  memory: 512,
}

/** Worker threads that render, so that no text stops the requests of others. */
export interface Pool {
  /** Renders in a thread. Never rejects: a full queue, a spent time limit and a dead thread are outcomes. */
  run(request: RenderRequest): Promise<RenderOutcome>
  /** Ends all threads; what waits is answered with `busy`. */
  close(): Promise<void>
}

interface Job {
  readonly request: RenderRequest
  readonly done: (outcome: RenderOutcome) => void
}

interface Thread {
  readonly worker: Worker
  /** Answers the job in hand, if there is one, and forgets the thread. */
  readonly retire: (outcome: RenderOutcome) => void
  readonly take: (job: Job) => void
}

const busy = refuse('busy', 'too many texts are waiting to be rendered, try again soon')
const timeout = refuse('timeout', 'the text takes too long to render')
const memory = refuse('memory', 'the text takes too much memory to render')

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
        return thread.worker.terminate()
      })
      await Promise.all(ending)
    },
  }
}

interface Keeper {
  free(thread: Thread): void
  gone(thread: Thread): void
}

function startThread(options: PoolOptions, keeper: Keeper): Thread {
  const worker = new Worker(source, {
    eval: true,
    // A renderer needs nothing of the process around it.
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: options.memory, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
  })
  // An idle thread keeps no process alive.
  worker.unref()
  let job: Job | undefined
  let alarm: NodeJS.Timeout | undefined

  function finish(outcome: RenderOutcome): void {
    clearTimeout(alarm)
    worker.unref()
    const finished = job
    job = undefined
    finished?.done(outcome)
  }

  const thread: Thread = {
    worker,
    retire: (outcome) => {
      finish(outcome)
      keeper.gone(thread)
    },
    take: (next) => {
      job = next
      worker.ref()
      alarm = setTimeout(() => {
        thread.retire(timeout)
        void worker.terminate()
      }, options.timeLimit)
      worker.postMessage(next.request)
    },
  }
  worker.on('message', (outcome: RenderOutcome) => {
    if (job === undefined) return
    finish(outcome)
    keeper.free(thread)
  })
  worker.on('error', (error: Error & { code?: string }) => {
    const exhausted = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const log = error.stack ?? error.message
    thread.retire(exhausted ? memory : refuse('failed', 'the text could not be rendered', log))
  })
  worker.on('exit', () =>
    thread.retire(refuse('failed', 'the text could not be rendered', 'a render thread ended')),
  )
  return thread
}
