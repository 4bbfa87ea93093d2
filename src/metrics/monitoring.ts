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

/** What the answers are made from. */
interface MonitoringDeps {
  pool: Pool
  limiter: DatabaseLimiter
  clock: () => Date
  version: string
  /** Counts a request for `RATE_LIMIT_ADDRESS`; returns the seconds until the client may ask again. */
  secondsToWait: (req: IncomingMessage) => number
}

/** What operators watch the server by: `/livez`, `/readyz` and, where it is switched on, `/metrics`. */
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

  /** `handle`, and the paths for machines. The library for metrics is only loaded where they are switched on. */
  async serve(handle: RequestListener, deps: MonitoringDeps): Promise<RequestListener> {
    this.#deps = deps
    if (this.#counters) {
      const { createMetrics } = await import('./registry.ts')
      this.#metrics = createMetrics({ ...deps, counters: this.#counters })
    }
    const { secondsToWait } = deps
    return withProbes(handle, { ...this.#probes(), token: this.#settings.token, secondsToWait })
  }

  /** The server for `METRICS_PORT`, to be called after `serve`; undefined without that. */
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

  /** From now on the server is not ready. */
  drain(): void {
    this.#isDraining = true
  }

  #probes() {
    return { isReady: this.isReady, metrics: this.#metrics }
  }
}
