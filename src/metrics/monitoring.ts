import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Pool } from '../db/sql.ts'
import type { CountRequest } from '../http/pipeline/send.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import { askDatabase } from '../site/health.ts'
import { createMetricsServer, type MetricsText, withProbes } from './probes.ts'
import { RequestCounters } from './requests.ts'

interface MonitoringSettings {
  port: number | undefined
  token: string | undefined
}

interface MonitoringDeps {
  pool: Pool
  limiter: DatabaseLimiter
  clock: () => Date
  version: string
  /** Counts a request for `RATE_LIMIT_ADDRESS`; returns the seconds until the client may send another. */
  secondsToWait: (req: IncomingMessage) => number
}

/** Monitoring of the server: `/livez`, `/readyz` and, if it is switched on, `/metrics`. */
export class Monitoring {
  readonly #settings: MonitoringSettings
  readonly #counters: RequestCounters | undefined
  #metrics: MetricsText | undefined
  #deps: MonitoringDeps | undefined
  #isDraining = false

  constructor(settings: MonitoringSettings) {
    this.#settings = settings
    const isOn = settings.port !== undefined || settings.token !== undefined
    this.#counters = isOn ? new RequestCounters() : undefined
  }

  /** Counts a request; undefined where metrics are off. */
  get countRequest(): CountRequest | undefined {
    return this.#counters?.add
  }

  /** `handle` with the paths for monitoring. Loads the library for metrics only if they are switched on. */
  async serve(handle: RequestListener, deps: MonitoringDeps): Promise<RequestListener> {
    this.#deps = deps
    if (this.#counters) {
      const { createMetrics } = await import('./registry.ts')
      this.#metrics = createMetrics({ ...deps, counters: this.#counters })
    }
    const { secondsToWait } = deps
    return withProbes(handle, { ...this.#probes(), token: this.#settings.token, secondsToWait })
  }

  /** The server for `METRICS_PORT`; undefined if that is not set. Call `serve` first. */
  metricsServer(): Server | undefined {
    const isOn = this.#metrics !== undefined && this.#settings.port !== undefined
    return isOn ? createMetricsServer(this.#probes()) : undefined
  }

  /** Whether requests can be served: the database answers, and the server is not stopping. */
  readonly isReady = async (): Promise<boolean> => {
    if (!this.#deps || this.#isDraining || !this.#deps.limiter.isOpen) return false
    return await askDatabase(this.#deps.pool).then(
      () => true,
      () => false,
    )
  }

  /** Makes the server not ready. */
  drain(): void {
    this.#isDraining = true
  }

  #probes() {
    return { isReady: this.isReady, metrics: this.#metrics }
  }
}
