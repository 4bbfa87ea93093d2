import { Worker } from 'node:worker_threads'
import type { Owner } from './turns.ts'

/** What a pool is for. A request is sent to a thread and an outcome comes back, both by structured clone. */
export interface PoolPurpose<Request, Outcome> {
  /** Gives the text of the worker: `import source from 'worker:./file.ts'`. It answers each message with one. */
  source(): string
  /** What a request weighs while it waits, in the unit of `queueLength`. */
  weigh(request: Request): number
  /** The outcomes of requests that no thread answered. */
  readonly refusals: Refusals<Outcome>
}

/** Outcomes of requests that no thread answered. */
export interface Refusals<Outcome> {
  /** Too much is waiting, or the pool is closed. */
  readonly busy: Outcome
  /** Whoever asked went away. */
  readonly gone: Outcome
  readonly timeout: Outcome
  readonly memory: Outcome
  /** The thread ended by itself; `log` says why. */
  failed(log: string): Outcome
}

/** A request and who waits for its outcome. */
export interface Job<Request, Outcome> {
  readonly request: Request
  /** Absent where nobody in particular asks. */
  readonly owner: Owner | undefined
  /** Aborts when nobody waits for the outcome any more. */
  readonly gone: AbortSignal | undefined
  readonly done: (outcome: Outcome) => void
}

/** A worker thread with one job at a time. */
export interface Thread<Request, Outcome> {
  /** Hands it a job; it must be free. */
  take(job: Job<Request, Outcome>): void
  /** Answers the job in hand, if there is one, and gives the thread up. */
  retire(outcome: Outcome): void
  /** Stops it, whatever it does. */
  end(): Promise<unknown>
}

/** Limits of one job. */
export interface ThreadLimits {
  /** Milliseconds a job may take, the start of a thread included; then its thread is ended. */
  readonly timeLimit: number
  /** Mebibytes of memory a job may take; beyond that its thread is ended. */
  readonly memory: number
}

/** Who hears of a thread's state. */
export interface Keeper<Request, Outcome> {
  /** The job has its outcome; told before `free` or `gone`. */
  finished(job: Job<Request, Outcome>): void
  free(thread: Thread<Request, Outcome>): void
  gone(thread: Thread<Request, Outcome>): void
  /** Threads with a job. */
  busy(): number
}

/** Milliseconds between two looks at a job in hand: a thread can allocate some ten megabytes meanwhile. */
const watchInterval = 25

/** Milliseconds after which a job that nobody waits for is stopped; to start another thread is dearer than less. */
const worthFinishing = 1000
const mebibyte = 1024 * 1024

/** Starts a thread of a pool; it reports to the keeper. */
export function startThread<Request, Outcome>(
  { source, refusals }: PoolPurpose<Request, Outcome>,
  limits: ThreadLimits,
  keeper: Keeper<Request, Outcome>,
): Thread<Request, Outcome> {
  const worker = createWorker(source(), limits)
  let job: Job<Request, Outcome> | undefined
  let watch: NodeJS.Timeout | undefined

  function finish(outcome: Outcome): void {
    clearInterval(watch)
    worker.unref()
    const finished = job
    job = undefined
    if (finished === undefined) return
    keeper.finished(finished)
    finished.done(outcome)
  }

  const thread: Thread<Request, Outcome> = {
    end: () => worker.terminate(),
    retire: (outcome) => {
      finish(outcome)
      keeper.gone(thread)
    },
    take: (next) => {
      job = next
      worker.ref()
      watch = watchJob(next.gone, limits, keeper, (spent) => {
        thread.retire(refusals[spent])
        void worker.terminate()
      })
      worker.postMessage(next.request)
    },
  }
  worker.on('message', (outcome: Outcome) => {
    if (job === undefined) return
    finish(outcome)
    keeper.free(thread)
  })
  worker.on('error', (error: Error & { code?: string }) => {
    const exhausted = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    thread.retire(exhausted ? refusals.memory : refusals.failed(error.stack ?? error.message))
  })
  worker.on('exit', () => thread.retire(refusals.failed('a worker thread ended')))
  return thread
}

function createWorker(source: string, limits: ThreadLimits): Worker {
  const worker = new Worker(source, {
    eval: true,
    // It needs nothing of the process around it.
    env: {},
    argv: [],
    execArgv: [],
    // Far above what the watch allows: a thread that meets this limit may take the whole process with it.
    resourceLimits: { maxOldGenerationSizeMb: limits.memory * 4, stackSizeMb: 4 },
  })
  // An idle thread keeps no process alive.
  worker.unref()
  return worker
}

/**
 * Stops a job that takes too long or too much memory. The engine's own limit for threads is no protection: when an
 * allocation fails before the thread is stopped, the engine ends the process. So the growth of the process is watched
 * from outside; of several jobs at a time each may grow it by its share and those of the others.
 */
function watchJob(
  gone: AbortSignal | undefined,
  limits: ThreadLimits,
  keeper: { busy(): number },
  stop: (spent: 'memory' | 'timeout' | 'gone') => void,
): NodeJS.Timeout {
  const begin = performance.now()
  const before = process.memoryUsage.rss()
  return setInterval(() => {
    const grown = (process.memoryUsage.rss() - before) / mebibyte
    const taken = performance.now() - begin
    if (grown > limits.memory * keeper.busy()) stop('memory')
    else if (taken > limits.timeLimit) stop('timeout')
    else if (gone?.aborted && taken > worthFinishing) stop('gone')
  }, watchInterval)
}
