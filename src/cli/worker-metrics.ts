import type { Worker } from 'node:cluster'
import type { Running } from '../background/every.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Monitoring } from '../metrics/monitoring.ts'
import { createMetricsServer } from '../metrics/probes.ts'
import type { WorkerMetrics } from '../metrics/worker-metrics.ts'
import { answer, ask, type Peer } from './ipc.ts'
import { listenForMetrics } from './metrics-port.ts'

/**
 * Metrics of several workers: the primary process asks all of them and answers as one server, on `METRICS_PORT` itself,
 * and with `METRICS_TOKEN` through the worker that got the request.
 */

/** How long the primary waits for a worker, which itself waits for the database, in milliseconds. */
const answerTimeout = 3_000

/** How long a worker waits for the primary. */
const gatherTimeout = answerTimeout + 1_000

const primary: Peer = {
  // With a callback, a closed channel is reported to it; without one, the process gets an error.
  send: (message) => process.send?.(message, undefined, undefined, () => {}),
  on: (event, listener) => process.on(event, listener),
  off: (event, listener) => process.off(event, listener),
}

const peerOf = (worker: Worker): Peer => ({
  send: (message) => worker.send(message, () => {}),
  on: (event, listener) => worker.on(event, listener),
  off: (event, listener) => worker.off(event, listener),
})

/** In a worker: answers the primary. */
export function answerPrimary({ snapshot, isReady }: Pick<Monitoring, 'snapshot' | 'isReady'>): void {
  answer(primary, { metrics: snapshot, ready: isReady })
}

/** In a worker: the metrics of all workers. @throws Error when the primary does not answer */
export async function metricsOfAll(): Promise<string> {
  const answered = await ask(primary, 'all metrics', gatherTimeout)
  if (typeof answered === 'string') return answered
  throw new Error('The primary process gave no metrics')
}

/** In the primary: metrics and readiness of all workers together. */
class WorkerWatch {
  readonly #workers = new Map<number, Peer>()

  constructor(readonly metrics: WorkerMetrics) {}

  /** Asks a worker from now on, until it ends. */
  add(worker: Worker): void {
    const peer = peerOf(worker)
    this.#workers.set(worker.id, peer)
    answer(peer, { 'all metrics': this.text })
    worker.once('exit', () => {
      this.#workers.delete(worker.id)
      void this.metrics.end(worker.id)
    })
  }

  readonly text = async (): Promise<string> => {
    const answering = new Set<number>()
    const asked = [...this.#workers].map(async ([id, peer]) => {
      const said = await ask(peer, 'metrics', answerTimeout)
      // One that ended meanwhile has been counted.
      if (said === undefined || !this.#workers.has(id)) return
      this.metrics.note(id, said)
      answering.add(id)
    })
    await Promise.all(asked)
    return this.metrics.text(answering)
  }

  /** Whether a worker serves. */
  readonly isReady = async (): Promise<boolean> => {
    const peers = [...this.#workers.values()]
    const ready = await Promise.all(peers.map((peer) => ask(peer, 'ready', answerTimeout)))
    return ready.includes(true)
  }
}

/** In the primary: watches workers and listens on `METRICS_PORT`; undefined where metrics are switched off. */
export async function watchWorkers(
  { port, host, token }: Config['metrics'],
  log: Log,
  running: Running[],
): Promise<WorkerWatch | undefined> {
  if (port === undefined && token === undefined) return undefined
  const { WorkerMetrics } = await import('../metrics/worker-metrics.ts')
  const watch = new WorkerWatch(new WorkerMetrics())
  if (port === undefined) return watch
  const server = createMetricsServer({ metrics: watch.text, isReady: watch.isReady })
  const listening = await listenForMetrics(server, { port, host })
  running.push(listening)
  log.info('serving metrics', { metricsPort: listening.port, pid: process.pid })
  return watch
}
