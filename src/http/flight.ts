interface Flight<Result> {
  /** The run in the air. */
  flying: Promise<Result>
  /** Where those gather who arrived after it took off. */
  next?: Promise<Result>
}

/**
 * Shared flights (design, section 5): identical reads that wait at the same time share one run, and only a run
 * that starts after they arrived. Each answer is therefore as fresh as a query of its own would have been:
 * there is no cache, no expiry and no invalidation.
 */
export class Flights<Result> {
  readonly #byKey = new Map<string, Flight<Result>>()

  /**
   * Joins the next run for `key`, starting one at once when none is in the air.
   * A run that fails fails for its own passengers only; the next one starts afresh.
   */
  board(key: string, run: () => Promise<Result>): Promise<Result> {
    const flight = this.#byKey.get(key)
    if (flight) {
      flight.next ??= this.#after(key, flight, run)
      return flight.next
    }
    const started: Flight<Result> = { flying: run() }
    this.#byKey.set(key, started)
    this.#land(key, started)
    return started.flying
  }

  /** The run that starts when `flight` has landed, well or badly. */
  #after(key: string, flight: Flight<Result>, run: () => Promise<Result>): Promise<Result> {
    const takeOff = () => {
      const started: Flight<Result> = { flying: run() }
      this.#byKey.set(key, started)
      this.#land(key, started)
      return started.flying
    }
    return flight.flying.then(takeOff, takeOff)
  }

  /** Forgets a flight that landed with nobody waiting for the next one. */
  #land(key: string, flight: Flight<Result>): void {
    const landed = () => {
      if (!flight.next && this.#byKey.get(key) === flight) this.#byKey.delete(key)
    }
    flight.flying.then(landed, landed)
  }
}
