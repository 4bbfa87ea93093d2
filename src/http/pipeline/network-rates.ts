import { type Rate, RateLimiter } from '../../limiter/rate-limiter.ts'
import type { Origin } from '../server/origin.ts'
import { networkOf } from './network.ts'

/** Bounds the requests of each network (`RATE_LIMIT_ADDRESS`), through whichever door they come. */
export class NetworkRates {
  readonly #rates: RateLimiter<string>

  constructor(rate: Rate) {
    this.#rates = new RateLimiter(rate)
  }

  /** Counts a request and returns 0; or counts none and returns in how many seconds it may be sent again. */
  secondsToWait(from: Pick<Origin, 'address'>, now: Date): number {
    return Math.ceil(this.#rates.take(networkOf(from.address), now) / 1000)
  }
}
