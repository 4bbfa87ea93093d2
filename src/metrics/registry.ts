import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Registry,
} from 'prom-client'
import { batchCounts } from '../db/batch.ts'
import type { Sql } from '../db/sql.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import { readCounts } from '../http/reads/reads.ts'
import { databaseFigures } from './database-figures.ts'
import { bounds, type RequestCounters, type RequestCounts } from './requests.ts'

/** How long a scrape waits for the figures of the database, in milliseconds. */
const maxWait = 2_000

interface MetricsDeps {
  counters: RequestCounters
  sql: Sql
  limiter: DatabaseLimiter
  clock: () => Date
  version: string
}

/** What is measured. */
export interface Metrics {
  /** In the text format of Prometheus. */
  text: () => Promise<string>
  /** As objects, to be put together with those of other processes (`worker-metrics.ts`). */
  snapshot: () => Promise<object[]>
}

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addProcessCounts(registry, deps)
  const refresh = addDatabaseFigures(registry, deps)
  return {
    text: async () => {
      await refresh()
      const durations = AggregatorRegistry.aggregate([[durationMetric(deps.counters)]])
      return `${await registry.metrics()}\n${await durations.metrics()}`
    },
    snapshot: async () => {
      await refresh()
      return [...(await registry.getMetricsAsJSON()), durationMetric(deps.counters)]
    },
  }
}

/** Numbers that this process counts anyway; they are read at a scrape. */
function addProcessCounts(registry: Registry, { counters, limiter, version }: MetricsDeps): void {
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: string[], read: (set: Set) => void) =>
    new Counter({
      ...{ name: `forgehall_${name}`, help, labelNames, registers },
      collect() {
        this.reset()
        read((labels, value) => this.inc(labels, value))
      },
    })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name: `forgehall_${name}`, help, registers },
      collect() {
        this.set(read())
      },
    })
  counter('requests_total', 'Requests by declared path', ['route', 'method', 'status'], (set) => {
    for (const { route, method, statuses } of counters.all())
      for (const [status, count] of statuses) set({ route, method, status }, count)
  })
  counter(
    'reads_total',
    'Shared reads: answered by a kept result, or by a run that callers share',
    ['by'],
    (set) => {
      set({ by: 'kept' }, readCounts.kept)
      set({ by: 'run' }, readCounts.joined)
    },
  )
  counter('read_runs_total', 'Runs of shared reads', [], (set) => set({}, readCounts.runs))
  counter('batch_rows_total', 'Rows written by group commit', [], (set) => set({}, batchCounts.rows))
  counter('batches_total', 'Statements of group commit', [], (set) => set({}, batchCounts.batches))
  gauge('database_requests', 'Requests that use the database now', () => limiter.running)
  gauge('database_request_limit', 'Bound on them (QUEUE_LIMIT)', () => limiter.slots)
  gauge('processes', 'Server processes that answered this scrape', () => 1)
  const info = { name: 'forgehall_info', help: 'Version', labelNames: ['version'], registers }
  new Gauge({ ...info, aggregator: 'max' }).set({ version }, 1)
}

type Set = (labels: Record<string, string>, value: number) => void

/** Returns what updates the figures before a scrape. */
function addDatabaseFigures(registry: Registry, { sql, clock }: MetricsDeps): () => Promise<void> {
  // All processes ask the same database; one that gets no answer must show.
  const gauge = (name: string, help: string, aggregator: Aggregator = 'max') =>
    new Gauge({ name: `forgehall_${name}`, help, aggregator, registers: [registry] })
  const up = gauge('database_up', 'Whether the database answered this scrape', 'min')
  const figures = {
    deliveries: gauge('webhook_deliveries_waiting', 'Deliveries of webhooks that wait, 10000 at most'),
    events: gauge('outbox_events', 'Events that nobody has dispatched yet, 10000 at most'),
    eventAge: gauge('outbox_age_seconds', 'Age of the oldest of them'),
    runners: gauge('runners_online', 'Runners of Actions that called in the last minute'),
    jobs: gauge('jobs_waiting', 'Jobs of Actions that wait for a runner, 10000 at most'),
  }
  return async () => {
    const found = await inTime(databaseFigures(sql, clock()))
    up.set(found ? 1 : 0)
    if (!found) return
    figures.deliveries.set(found.deliveries)
    figures.events.set(found.events)
    figures.eventAge.set(found.eventAge)
    figures.runners.set(found.runners)
    figures.jobs.set(found.jobs)
  }
}

/** Undefined when it fails or takes too long. */
async function inTime<Result>(work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), maxWait)
  })
  return await Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

const durationName = 'forgehall_request_duration_seconds'

/** A histogram as the library would give it; its own counts with each observation, which costs more than our numbers. */
function durationMetric(counters: RequestCounters) {
  const values = [...counters.all()].flatMap(valuesOf)
  return { name: durationName, help: 'Duration of requests', type: 'histogram', aggregator: 'sum', values }
}

function valuesOf({ route, method, buckets, seconds }: RequestCounts) {
  const labels = { route, method }
  let sum = 0
  const values = buckets.map((count, at) => {
    sum += count
    return {
      metricName: `${durationName}_bucket`,
      labels: { ...labels, le: bounds[at] ?? '+Inf' },
      value: sum,
    }
  })
  return [
    ...values,
    { metricName: `${durationName}_sum`, labels, value: seconds },
    { metricName: `${durationName}_count`, labels, value: sum },
  ]
}
