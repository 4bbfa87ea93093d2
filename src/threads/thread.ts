import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ThreadMessage } from './answer.ts'

/** The job of a pool. Requests go to a thread and outcomes come back, both by structured clone. */
export interface PoolPurpose<Request, Outcome> {
  /** The name of its work in the metrics. */
  readonly kind: string
  /** The source of the worker: `import source from 'worker:./file.ts'`. It calls `answerRequests`. */
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
  /** The machine was too busy to give the job its time. */
  readonly slow: Outcome
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
  /**
   * Milliseconds for a job, including the start of a thread; then its thread is ended. They are processor time where the
   * system counts it (Linux): a busy machine makes no text too long.
   */
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

/** A job that waits for the processor is given up after this many time limits. */
const patience = 4

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
  let clock: string | undefined

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
      const timeOf = timer(() => clock)
      watch = watchJob({ gone: next.gone, timeOf }, limits, pool, (exceeded) => {
        thread.retire(unanswered[exceeded])
        void worker.terminate()
      })
      worker.postMessage(next.request)
    },
  }
  worker.on('message', (message: ThreadMessage<Outcome>) => {
    if ('clock' in message) clock = message.clock
    if (job === undefined || !('outcome' in message)) return
    finish(message.outcome)
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
  { gone, timeOf }: { gone: AbortSignal | undefined; timeOf: (wall: number) => number },
  limits: ThreadLimits,
  pool: { busy(): number },
  stop: (exceeded: 'memory' | 'timeout' | 'slow' | 'gone') => void,
): NodeJS.Timeout {
  const begin = performance.now()
  const before = process.memoryUsage.rss()
  return setInterval(() => {
    const grown = (process.memoryUsage.rss() - before) / mebibyte
    const taken = performance.now() - begin
    if (grown > limits.memory * pool.busy()) stop('memory')
    else if (taken > limits.timeLimit && timeOf(taken) > limits.timeLimit) stop('timeout')
    else if (taken > limits.timeLimit * patience) stop('slow')
    else if (gone?.aborted && taken > maxUnusedTime) stop('gone')
  }, watchInterval)
}

/**
 * A function that gives the milliseconds of processor time that a thread has taken since now, and where they are not
 * counted those of the wall clock, which it gets. `clock`: the file that counts them, known once the thread runs.
 */
function timer(clock: () => string | undefined): (wall: number) => number {
  const before = runTime(clock()) ?? 0
  return (wall) => {
    const now = runTime(clock())
    return now === undefined ? wall : now - before
  }
}

/** Milliseconds: the first number of the file is in nanoseconds, 0 where the system does not count. */
function runTime(clock: string | undefined): number | undefined {
  if (clock === undefined) return undefined
  try {
    return Number.parseInt(readFileSync(clock, 'latin1'), 10) / 1e6 || undefined
  } catch {
    return undefined
  }
}
