import source from 'worker:./worker.ts'
import { Worker } from 'node:worker_threads'
import { type RenderOutcome, type RenderRequest, refuse } from './request.ts'

/** A text to render and who waits for it. */
export interface Job {
  readonly request: RenderRequest
  readonly done: (outcome: RenderOutcome) => void
}

/** A worker thread with one job at a time. */
export interface Thread {
  /** Hands it a job; it must be free. */
  take(job: Job): void
  /** Answers the job in hand, if there is one, and gives the thread up. */
  retire(outcome: RenderOutcome): void
  /** Stops it, whatever it does. */
  end(): Promise<unknown>
}

/** Limits of one job, see `PoolOptions`. */
export interface ThreadLimits {
  readonly timeLimit: number
  readonly memory: number
}

/** Who hears of a thread's state. */
export interface Keeper {
  free(thread: Thread): void
  gone(thread: Thread): void
  /** Threads with a job. */
  busy(): number
}

const timeout = refuse('timeout', 'the text takes too long to render')
const memory = refuse('memory', 'the text takes too much memory to render')
const failed = (log: string) => refuse('failed', 'the text could not be rendered', log)

/** Milliseconds between two looks at a job in hand: a thread can allocate some ten megabytes meanwhile. */
const watchInterval = 25
const mebibyte = 1024 * 1024

export function startThread(limits: ThreadLimits, keeper: Keeper): Thread {
  const worker = createWorker(limits)
  let job: Job | undefined
  let watch: NodeJS.Timeout | undefined

  function finish(outcome: RenderOutcome): void {
    clearInterval(watch)
    worker.unref()
    const finished = job
    job = undefined
    finished?.done(outcome)
  }

  const thread: Thread = {
    end: () => worker.terminate(),
    retire: (outcome) => {
      finish(outcome)
      keeper.gone(thread)
    },
    take: (next) => {
      job = next
      worker.ref()
      watch = watchJob(limits, keeper, (outcome) => {
        thread.retire(outcome)
        void worker.terminate()
      })
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
    thread.retire(exhausted ? memory : failed(error.stack ?? error.message))
  })
  worker.on('exit', () => thread.retire(failed('a render thread ended')))
  return thread
}

function createWorker(limits: ThreadLimits): Worker {
  const worker = new Worker(source, {
    eval: true,
    // A renderer needs nothing of the process around it.
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
  limits: ThreadLimits,
  keeper: Keeper,
  stop: (outcome: RenderOutcome) => void,
): NodeJS.Timeout {
  const deadline = performance.now() + limits.timeLimit
  const before = process.memoryUsage.rss()
  return setInterval(() => {
    const grown = (process.memoryUsage.rss() - before) / mebibyte
    if (grown > limits.memory * keeper.busy()) stop(memory)
    else if (performance.now() > deadline) stop(timeout)
  }, watchInterval)
}
