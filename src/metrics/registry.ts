import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Pool } from '../db/sql.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import { type DatabaseFigures, databaseFigures } from './database-figures-store.ts'
import type { MetricsText } from './probes.ts'
import { addProcessCounts } from './process-counts.ts'
import { durationMetric, type RequestCounters } from './requests.ts'

/** How long a scrape waits for the figures of the database, in milliseconds. */
const maxWait = 2_000

interface MetricsDeps {
  counters: RequestCounters
  pool: Pool
  limiter: DatabaseLimiter
  clock: () => Date
  version: string
}

/** The metrics of this process. */
export function createMetrics(deps: MetricsDeps): MetricsText {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addProcessCounts(registry, deps)
  const refresh = addDatabaseFigures(registry, deps)
  return async () => {
    await refresh()
    const durations = AggregatorRegistry.aggregate([[durationMetric(deps.counters)]])
    return `${await registry.metrics()}\n${await durations.metrics()}`
  }
}

/** Returns what updates the figures before a scrape. */
function addDatabaseFigures(registry: Registry, { pool, clock }: MetricsDeps): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `forgehall_${name}`, help, registers: [registry] })
  const up = gauge('database_up', 'Whether the database answered this scrape')
  const gauges: [figure: keyof DatabaseFigures, gauge: Gauge][] = [
    ['deliveries', gauge('webhook_deliveries_waiting', 'Deliveries of webhooks that wait, 10000 at most')],
    ['mails', gauge('mails_waiting', 'Mails that wait to be sent, 10000 at most')],
    ['failedMails', gauge('mails_failed', 'Mails that were given up within a month, 10000 at most')],
    ['events', gauge('outbox_events', 'Events that are not dispatched yet, 10000 at most')],
    ['eventAge', gauge('outbox_age_seconds', 'Age of the oldest of them')],
    ['runners', gauge('runners_online', 'Runners of Actions that called in the last minute')],
    ['jobs', gauge('jobs_waiting', 'Jobs of Actions that wait for a runner, 10000 at most')],
    [
      'connections',
      gauge('database_connections', 'Connections to the database, also those of other programs'),
    ],
    ['active', gauge('database_connections_active', 'Those that run a statement')],
    ['locked', gauge('database_connections_locked', 'Those whose statement waits for a lock')],
  ]
  return async () => {
    const figures = await inTime(databaseFigures(pool, clock()))
    up.set(figures ? 1 : 0)
    for (const [figure, each] of gauges) {
      if (figures) each.set(figures[figure])
      else each.remove()
    }
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
