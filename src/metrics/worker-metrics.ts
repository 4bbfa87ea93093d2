import { AggregatorRegistry } from 'prom-client'
import * as v from 'valibot'

/** The metrics of one process, as the library gives them. */
const Snapshot = v.array(
  v.looseObject({
    name: v.string(),
    type: v.string(),
    values: v.array(v.looseObject({ value: v.nullable(v.number()) })),
  }),
)
type Snapshot = v.InferOutput<typeof Snapshot>

/**
 * The metrics of several worker processes as those of one server. Each metric says how its values are put together.
 * What is counted never becomes less: of a worker that ended, or that does not answer, the last known counts stay.
 */
export class WorkerMetrics {
  readonly #last = new Map<number, Snapshot>()
  /** The counts of all workers that have ended, put together. */
  #ended: readonly object[] = []

  /** Notes what a worker has said of itself. @throws ValiError when these are no metrics */
  note(worker: number, said: unknown): void {
    this.#last.set(worker, v.parse(Snapshot, said).map(withoutGaps))
  }

  /** A worker has ended. */
  async end(worker: number): Promise<void> {
    const last = this.#last.get(worker)
    if (!last) return
    this.#last.delete(worker)
    const ended = AggregatorRegistry.aggregate([this.#ended, last.filter(isCount)])
    this.#ended = await ended.getMetricsAsJSON()
  }

  /** The text of all; gauges only of the workers in `answering`. */
  text(answering: ReadonlySet<number>): Promise<string> {
    const snapshots = [...this.#last].map(([worker, metrics]) =>
      answering.has(worker) ? metrics : metrics.filter(isCount),
    )
    // The first snapshot decides the order.
    return AggregatorRegistry.aggregate([...snapshots, this.#ended]).metrics()
  }
}

const isCount = ({ type }: Snapshot[number]) => type === 'counter' || type === 'histogram'

/** NaN, such as a mean of nothing, arrives as null. */
const withoutGaps = (metric: Snapshot[number]) => {
  return { ...metric, values: metric.values.filter(({ value }) => value !== null) }
}
