import { Counter, Gauge, type Registry } from 'prom-client'
import { s3Counts } from '../blobs/s3/watch.ts'
import { batchCounts } from '../db/batch.ts'
import type { Pool } from '../db/sql.ts'
import { sshCounts } from '../forge/push/ssh-api.ts'
import { attemptCounts } from '../forge/webhooks/delivery/dispatch.ts'
import { malformedCounts } from '../http/listener/malformed.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import { readCounts } from '../http/reads/reads.ts'
import { usages } from '../limiter/usage.ts'
import { streamCounts } from '../site/stream/feed.ts'
import type { RequestCounters } from './requests.ts'

interface CountDeps {
  counters: RequestCounters
  limiter: DatabaseLimiter
  pool: Pool
  version: string
}

/** Counts of this process, which are read at a scrape. */
export function addProcessCounts(registry: Registry, deps: CountDeps): void {
  const meters = metersIn(registry)
  addRequests(meters, deps)
  addWork(meters)
  addDeliveries(meters)
  addStore(meters)
  meters.gauge('pool_size', 'Maximum connections to the database (POOL_SIZE)', () => deps.pool.options.max)
  meters.gauge('event_streams', 'Open event streams (GET /api/stats/stream)', () => streamCounts.open)
  meters.gauge('ssh_requests', 'Requests of git over SSH in progress', () => sshCounts.running)
  meters.counter('ssh_requests_total', 'Requests of git over SSH', () => sshCounts.all)
  const info = { name: 'forgehall_info', help: 'Version', labelNames: ['version'], registers: [registry] }
  new Gauge(info).set({ version: deps.version }, 1)
}

type Set = (labels: Record<string, string>, value: number) => void
type Read = (set: Set) => void

/** Makes metrics that are read at a scrape. */
interface Meters {
  counter: (name: string, help: string, read: () => number) => void
  gauge: (name: string, help: string, read: () => number) => void
  counters: (name: string, help: string, labelNames: string[], read: Read) => void
  gauges: (name: string, help: string, labelNames: string[], read: Read) => void
}

function metersIn(registry: Registry): Meters {
  const registers = [registry]
  const counters: Meters['counters'] = (name, help, labelNames, read) => {
    const collect = () => {
      made.reset()
      read((labels, value) => made.inc(labels, value))
    }
    const made = new Counter({ name: `forgehall_${name}`, help, labelNames, registers, collect })
  }
  const gauges: Meters['gauges'] = (name, help, labelNames, read) => {
    const collect = () => {
      made.reset()
      read((labels, value) => made.set(labels, value))
    }
    const made = new Gauge({ name: `forgehall_${name}`, help, labelNames, registers, collect })
  }
  return {
    counters,
    gauges,
    counter: (name, help, read) => counters(name, help, [], (set) => set({}, read())),
    gauge: (name, help, read) => gauges(name, help, [], (set) => set({}, read())),
  }
}

function addRequests({ counters, counter, gauge }: Meters, { counters: requests, limiter }: CountDeps): void {
  counters('requests_total', 'Requests by declared path', ['route', 'method', 'status'], (set) => {
    for (const { route, method, statuses } of requests.all())
      for (const [digit, count] of statuses.entries())
        if (count > 0) set({ route, method, status: `${digit}xx` }, count)
  })
  const malformed = 'Requests that were no valid HTTP (400), too large (431) or incomplete for too long (408)'
  counters('malformed_requests_total', malformed, ['status'], (set) => {
    for (const [status, count] of malformedCounts) set({ status: String(status) }, count)
  })
  const sharing = 'Shared reads: answered with a cached result (kept), or by a run that callers share (run)'
  counters('reads_total', sharing, ['by'], (set) => {
    set({ by: 'kept' }, readCounts.cached)
    set({ by: 'run' }, readCounts.joined)
  })
  counter('read_runs_total', 'Runs of shared reads', () => readCounts.runs)
  counter('batch_rows_total', 'Rows written by group commit', () => batchCounts.rows)
  counter('batches_total', 'Statements of group commit', () => batchCounts.batches)
  gauge('database_requests', 'Requests that use the database now', () => limiter.running)
  gauge('database_request_limit', 'Maximum of these requests (QUEUE_LIMIT)', () => limiter.slots)
}

/** Bounded work by kind: `git-…`, `render`, `workflow-file`, `password` and others. */
function addWork({ counters, gauges }: Meters): void {
  const read =
    (state: 'running' | 'waiting' | 'started' | 'rejected'): Read =>
    (set) => {
      for (const [kind, usage] of usages) set({ kind }, usage[state])
    }
  gauges('work_running', 'Bounded work in progress', ['kind'], read('running'))
  gauges('work_waiting', 'Bounded work that waits', ['kind'], read('waiting'))
  counters('work_started_total', 'Bounded work that has started', ['kind'], read('started'))
  const rejected = 'Bounded work that was rejected because the queue was full'
  counters('work_refused_total', rejected, ['kind'], read('rejected'))
}

function addDeliveries({ counters, counter, gauge }: Meters): void {
  const attempts = 'Attempts to deliver webhooks, by the state of the delivery after them'
  counters('webhook_attempts_total', attempts, ['state'], (set) => {
    for (const [state, count] of Object.entries(attemptCounts.states)) set({ state }, count)
  })
  counter('webhook_attempt_seconds_total', 'Total duration of these attempts', () => attemptCounts.seconds)
  gauge('webhook_attempts_running', 'Attempts in progress', () => attemptCounts.running)
}

function addStore({ counters }: Meters): void {
  const requests = 'Requests to the S3 store, repeated ones too, by their outcome'
  counters('store_requests_total', requests, ['operation', 'outcome'], (set) => {
    for (const [operation, { outcomes }] of s3Counts)
      for (const [outcome, count] of outcomes) set({ operation, outcome }, count)
  })
  counters('store_request_seconds_total', 'Total duration of these requests', ['operation'], (set) => {
    for (const [operation, { seconds }] of s3Counts) set({ operation }, seconds)
  })
}
