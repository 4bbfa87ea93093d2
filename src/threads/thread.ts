import { Worker } from 'node:worker_threads'

/** The job of a pool. Requests go to a thread and outcomes come back, both by structured clone. */
export interface PoolPurpose<Request, Outcome> {
  /** The name of its work in the metrics. */
  readonly kind: string
  /** The source of the worker: `import source from 'worker:./file.ts'`. It answers each message with one message. */
  source(): string
  /** The weight of a waiting request, in the unit of `queueLength`. */
  weigh(request: Request): number
  readonly unanswered: UnansweredOutcomes<Outcome>
}

/** Outcomes of requests that no thread answered. */
export interface UnansweredOutcomes<Outcome> {
  /** The queue is full, or the pool is closed. */
  readonly busy: Outcome
  /** The caller has left. */
  readonly gone: Outcome
  readonly timeout: Outcome
  readonly memory: Outcome
  /** The thread ended unexpectedly; `log` says why. */
  failed(log: string): Outcome
}

/** A request and its caller. */
interface Job<Request, Outcome> {
  readonly request: Request
  /** Aborts when no caller waits for the outcome any more. */
  readonly gone: AbortSignal | undefined
  readonly done: (outcome: Outcome) => void
}

/** A worker thread with one job at a time. */
export interface Thread<Request, Outcome> {
  /** Gives it a job; it must be idle. */
  take(job: Job<Request, Outcome>): void
  /** Answers the current job, if any, and gives up the thread. */
  retire(outcome: Outcome): void
  /** Terminates it at once. */
  end(): Promise<unknown>
}

/** Limits of one job. */
export interface ThreadLimits {
  /** Milliseconds for a job, including the start of a thread; then its thread is ended. */
  readonly timeLimit: number
  /** Mebibytes of memory for a job; beyond that its thread is ended. */
  readonly memory: number
}

/** The pool, as its threads see it. */
export interface PoolListener<Request, Outcome> {
  free(thread: Thread<Request, Outcome>): unknown
  gone(thread: Thread<Request, Outcome>): void
  /** Number of threads with a job. */
  busy(): number
}

/** Milliseconds between two checks of a running job: a thread can allocate about ten megabytes meanwhile. */
const watchInterval = 25

/** Milliseconds after which a job without callers is stopped; before that, a new thread would take more time. */
const maxUnusedTime = 1000
const mebibyte = 1024 * 1024

/** Starts a thread of a pool and reports its state to the pool. */
export function startThread<Request, Outcome>(
  { source, unanswered }: PoolPurpose<Request, Outcome>,
  limits: ThreadLimits,
  pool: PoolListener<Request, Outcome>,
): Thread<Request, Outcome> {
  const worker = createWorker(source(), limits)
  let job: Job<Request, Outcome> | undefined
  let watch: NodeJS.Timeout | undefined

  function finish(outcome: Outcome): void {
    clearInterval(watch)
    worker.unref()
    const finished = job
    job = undefined
    finished?.done(outcome)
  }

  const thread: Thread<Request, Outcome> = {
    end: () => worker.terminate(),
    retire: (outcome) => {
      finish(outcome)
      pool.gone(thread)
    },
    take: (next) => {
      job = next
      worker.ref()
      watch = watchJob(next.gone, limits, pool, (exceeded) => {
        thread.retire(unanswered[exceeded])
        void worker.terminate()
      })
      worker.postMessage(next.request)
    },
  }
  worker.on('message', (outcome: Outcome) => {
    if (job === undefined) return
    finish(outcome)
    pool.free(thread)
  })
  worker.on('error', (error: Error & { code?: string }) => {
    const exhausted = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    thread.retire(exhausted ? unanswered.memory : unanswered.failed(error.stack ?? error.message))
  })
  worker.on('exit', () => thread.retire(unanswered.failed('a worker thread ended')))
  return thread
}

function createWorker(source: string, limits: ThreadLimits): Worker {
  const worker = new Worker(source, {
    eval: true,
    // The worker gets nothing from the process.
    env: {},
    argv: [],
    execArgv: [],
    // Far above the limit of `watchJob`: a thread that reaches this one may crash the whole process.
    resourceLimits: { maxOldGenerationSizeMb: limits.memory * 4, stackSizeMb: 4 },
  })
  // An idle thread does not keep the process alive.
  worker.unref()
  return worker
}

/**
 * Stops a job that takes too long or too much memory. The engine's limit for threads is not enough: when an allocation
 * fails before the thread is stopped, the engine ends the process. So this checks the memory of the process; with several
 * jobs at a time, the process may grow by the limit of each of them.
 */
function watchJob(
  gone: AbortSignal | undefined,
  limits: ThreadLimits,
  pool: { busy(): number },
  stop: (exceeded: 'memory' | 'timeout' | 'gone') => void,
): NodeJS.Timeout {
  const begin = performance.now()
  const before = process.memoryUsage.rss()
  return setInterval(() => {
    const grown = (process.memoryUsage.rss() - before) / mebibyte
    const taken = performance.now() - begin
    if (grown > limits.memory * pool.busy()) stop('memory')
    else if (taken > limits.timeLimit) stop('timeout')
    else if (gone?.aborted && taken > maxUnusedTime) stop('gone')
  }, watchInterval)
}
