import type { RequestListener, Server } from 'node:http'
import type { Sql } from '../db/sql.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import type { Log } from '../log.ts'
import { askDatabase } from '../site/health.ts'
import { createMetricsServer, withProbes } from './probes.ts'
import type { Metrics } from './registry.ts'
import { countingLog, RequestCounters } from './requests.ts'

interface WatchSettings {
  port: number | undefined
  token: string | undefined
}

/** What those see who watch the server: `/livez`, `/readyz` and, where it is switched on, `/metrics`. */
export class Watch {
  readonly #settings: WatchSettings
  readonly #counters: RequestCounters | undefined
  #metrics: Metrics | undefined
  #isDraining = false

  constructor(settings: WatchSettings) {
    this.#settings = settings
    const isOn = settings.port !== undefined || settings.token !== undefined
    this.#counters = isOn ? new RequestCounters() : undefined
  }

  /** The log for requests, which are counted on the way. */
  countRequests(log: Log): Log {
    return this.#counters ? countingLog(log, this.#counters) : log
  }

  /** `handle`, and the paths for machines. The library for metrics is only loaded where they are switched on. */
  async serve(
    handle: RequestListener,
    deps: { sql: Sql; limiter: DatabaseLimiter; clock: () => Date; version: string },
  ): Promise<RequestListener> {
    const { sql, limiter } = deps
    if (this.#counters) {
      const { createMetrics } = await import('./registry.ts')
      this.#metrics = createMetrics({ ...deps, counters: this.#counters })
    }
    const isReady = async () => {
      if (this.#isDraining || !limiter.isOpen) return false
      return await askDatabase(sql).then(
        () => true,
        () => false,
      )
    }
    return withProbes(handle, { isReady, metrics: this.#metrics, token: this.#settings.token })
  }

  /** The server for `METRICS_PORT`, to be called after `serve`; undefined without that. */
  metricsServer(): Server | undefined {
    return this.#metrics && this.#settings.port !== undefined ? createMetricsServer(this.#metrics) : undefined
  }

  /** From now on the server is not ready. */
  drain(): void {
    this.#isDraining = true
  }
}
