import { type Rate, RateLimiter } from '../../limiter/rate-limiter.ts'
import type { Origin } from '../server/origin.ts'

/** Bounds the requests of each network (`RATE_LIMIT_ADDRESS`), those to the API and those to the probes together. */
export class NetworkRates {
  readonly #rates: RateLimiter<string>

  constructor(rate: Rate) {
    this.#rates = new RateLimiter(rate)
  }

  /** Counts a request and returns 0; above the rate, counts nothing and returns after how many seconds to try again. */
  secondsToWait(from: Pick<Origin, 'network'>, now: Date): number {
    return Math.ceil(this.#rates.take(from.network, now) / 1000)
  }
}
