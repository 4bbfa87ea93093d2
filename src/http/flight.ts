/** Runs of one key in the air at one time: while the database works for one, the bytes of another are written. */
const inTheAir = 2

interface Gathering<Result> {
  result: Promise<Result>
  takeOff: () => void
}

interface Airport<Result> {
  flying: number
  /** The next run, for whoever arrives before it takes off. */
  gathering: Gathering<Result> | undefined
}

/**
 * Shared flights (design, section 5): identical reads that wait at the same time share one run, and only a run that
 * starts after they arrived. Each answer is therefore as fresh as a query of its own would have been: there is no
 * cache, no expiry and no invalidation.
 */
export class Flights<Result> {
  readonly #airports = new Map<string, Airport<Result>>()

  /**
   * Joins the next run for `key`. It takes off when this turn of the event loop has read what the sockets hold, or,
   * with enough in the air, when one of them has landed. A run that fails fails for its own passengers only.
   */
  board(key: string, run: () => Promise<Result>): Promise<Result> {
    const airport = this.#airports.get(key) ?? { flying: 0, gathering: undefined }
    this.#airports.set(key, airport)
    if (airport.gathering) return airport.gathering.result
    const gathering = this.#gather(key, airport, run)
    airport.gathering = gathering
    if (airport.flying < inTheAir) setImmediate(gathering.takeOff)
    return gathering.result
  }

  #gather(key: string, airport: Airport<Result>, run: () => Promise<Result>): Gathering<Result> {
    let start: () => void = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const takeOff = () => {
      // Called again where a landing came before the turn that was waited for.
      if (airport.gathering !== gathering) return
      airport.gathering = undefined
      airport.flying++
      start()
    }
    const result = started.then(run).finally(() => this.#land(key, airport))
    const gathering = { result, takeOff }
    return gathering
  }

  #land(key: string, airport: Airport<Result>): void {
    airport.flying--
    if (airport.gathering) airport.gathering.takeOff()
    else if (airport.flying === 0) this.#airports.delete(key)
  }
}
