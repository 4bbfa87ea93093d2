import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Running } from '../background/every.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { SetupError, UsageError } from './command.ts'
import { watchWorkers } from './worker-metrics.ts'

/**
 * Several server processes behind one port (`WORKERS`): the primary process accepts connections and hands them to its
 * workers in turn (node:cluster). It holds no database connection and answers nothing itself but `METRICS_PORT`.
 */

/** The message with which the primary stops a worker. */
const stopMessage = 'stop'

/** The message with which a worker tells the primary that it serves: its database is available and up to date. */
const readyMessage = 'ready'

/**
 * How long the primary waits before it replaces a worker that crashed, in milliseconds: twice as long each time while
 * they end sooner than `calm` after their start.
 */
const restartDelay = 1_000
const longestRestartDelay = 30_000
const calm = 60_000

/** How long a stop of a worker may take, in milliseconds; a worker limits its own stop to ten seconds. */
const stopTimeout = 12_000

/** Exit code of a fault that an operator must correct first: a new worker would fail in the same way. */
const operatorFault = 2

export const isWorker = cluster.isWorker

/** What asks a process to stop; SIGHUP comes when its terminal is closed. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Settles when the primary asks this worker to stop. Signals are ignored: a terminal and systemd send them to the
 * primary and its workers alike, and the primary decides. If the primary dies, node ends the worker.
 */
export function stoppedByPrimary(): Promise<NodeJS.Signals> {
  for (const signal of stopSignals) process.on(signal, () => {})
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === stopMessage) resolve('SIGTERM')
    })
  })
}

/** Tells the primary that this process serves; without a primary it does nothing. */
export const reportReady = () => void process.send?.(readyMessage)

/**
 * Runs `count` workers until `stopped` settles. The first one starts alone until it serves, so that a fault of
 * the configuration is printed once, and the schema and the first administrator are made once. A worker that crashes is
 * replaced.
 * @throws SetupError, UsageError when the first worker cannot start, or one needs an operator; it has printed why
 */
export async function superviseWorkers(
  { workers: count, metrics }: Pick<Config, 'workers' | 'metrics'>,
  stopped: Promise<NodeJS.Signals>,
  log: Log,
): Promise<void> {
  const workers = new Set<Worker>()
  let isStopping = false
  let hasServed = false
  const { ready, markReady, failed, giveUp } = readiness()
  const start = (delay = restartDelay) => {
    const worker = cluster.fork()
    const begun = performance.now()
    workers.add(worker)
    watch?.add(worker)
    worker.once('listening', () => {
      hasServed = true
    })
    worker.on('message', (message) => {
      if (message === readyMessage) markReady()
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      workers.delete(worker)
      if (isStopping) return
      // The others go on without one that cannot start again, for example for lack of memory.
      if (!hasServed || code === operatorFault) return giveUp(startFailure(code))
      log.error('a worker ended; another one starts', { pid: worker.process.pid, code, signal })
      const wait = performance.now() - begun > calm ? restartDelay : delay
      const restart = () => {
        if (!isStopping) start(Math.min(2 * wait, longestRestartDelay))
      }
      // Without a worker nothing but this timer keeps the primary running.
      setTimeout(restart, wait)
    })
  }

  const running: Running[] = []
  const watch = await watchWorkers(metrics, log, running)
  try {
    start()
    const signal = await Promise.race([ready, stopped, failed])
    if (signal === undefined) for (let started = 1; started < count; started++) start()
    await Promise.race([stopped, failed])
  } finally {
    isStopping = true
    await Promise.all([...workers].map(stopWorker))
    await Promise.all(running.map((each) => each.stop()))
  }
}

/** `ready` is settled by the first worker that serves, `failed` by one that cannot be replaced. */
function readiness() {
  let markReady: () => void = () => {}
  let giveUp: (error: SetupError) => void = () => {}
  const ready = new Promise<void>((resolve) => {
    markReady = resolve
  })
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  failed.catch(() => {})
  return { ready, markReady, failed, giveUp }
}

function startFailure(code: number | null): SetupError {
  const message = `a worker ended with exit code ${code} before it took requests`
  return code === operatorFault ? new UsageError(message) : new SetupError(message)
}

async function stopWorker(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  // A worker that has just died is still connected: without a callback, the primary would end with the error of that.
  if (worker.isConnected()) worker.send(stopMessage, () => {})
  const inTime = await Promise.race([ended, pause(stopTimeout, undefined, { ref: false })])
  if (!inTime) worker.process.kill('SIGKILL')
}
