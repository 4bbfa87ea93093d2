/** Runs of one key in the air at one time: while the database works for one, the bytes of another are written. */
const inTheAir = 2

/** Turns of the event loop that a run waits at most while each brings more passengers. */
const longestBoarding = 20

interface Gathering<Result> {
  result: Promise<Result>
  passengers: number
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
   * Joins the next run for `key`. It takes off, if not too many are in the air, after the first turn of the event loop
   * that brings nobody more: on a busy server a run costs as much as ten replies, and few full ones carry further than
   * many half empty ones. A lone request waits for one turn. A run that fails fails for its own passengers only.
   */
  board(key: string, run: () => Promise<Result>): Promise<Result> {
    const airport = this.#airports.get(key) ?? { flying: 0, gathering: undefined }
    this.#airports.set(key, airport)
    if (airport.gathering) {
      airport.gathering.passengers++
      return airport.gathering.result
    }
    const gathering = this.#gather(key, airport, run)
    airport.gathering = gathering
    if (airport.flying < inTheAir) callAboard(airport, gathering)
    return gathering.result
  }

  #gather(key: string, airport: Airport<Result>, run: () => Promise<Result>): Gathering<Result> {
    let start: () => void = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const takeOff = () => {
      airport.gathering = undefined
      airport.flying++
      start()
    }
    const result = started.then(run).finally(() => this.#land(key, airport))
    return { result, passengers: 1, takeOff }
  }

  #land(key: string, airport: Airport<Result>): void {
    airport.flying--
    if (airport.gathering) callAboard(airport, airport.gathering)
    else if (airport.flying === 0) this.#airports.delete(key)
  }
}

/** Lets a run take off when a turn has brought nobody more. Called again, it does no harm: the first call decides. */
function callAboard<Result>(airport: Airport<Result>, gathering: Gathering<Result>, turns = 0): void {
  const aboard = gathering.passengers
  setImmediate(() => {
    if (airport.gathering !== gathering) return
    if (gathering.passengers > aboard && turns < longestBoarding) callAboard(airport, gathering, turns + 1)
    else gathering.takeOff()
  })
}
