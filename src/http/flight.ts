import { runningTurn } from './turn.ts'

/** Turns of the event loop that a run waits at most while each brings more passengers. */
const longestBoarding = 20

interface Flight<Result> {
  result: Promise<Result>
  passengers: number
  takeOff: () => void
}

interface Airport<Result> {
  flying: boolean
  /** The next run, for whoever arrives before it takes off. */
  gathering: Flight<Result> | undefined
  /** The last run that took off in a turn that brings requests. */
  latest: { turn: number; result: Promise<Result> } | undefined
}

/**
 * Shared flights (design, section 5): identical reads that wait at the same time share one run, and only a run that
 * starts after they arrived. Each answer is therefore as fresh as a query of its own would have been: there is no
 * cache, no expiry and no invalidation.
 */
export class Flights<Result> {
  readonly #airports = new Map<string, Airport<Result>>()

  /**
   * Joins a run for `key`; of each key one is in the air at a time, and newcomers gather for the next.
   *
   * With `turn`, the turn of the event loop that brought the caller (`turn.ts`), that may be a run which took off in the
   * same turn: whoever is read in a turn had arrived before it began. So a run takes off with the first, the database
   * works while the rest of the turn is read, and the rest comes along.
   *
   * Without it, or when that turn is over, a run takes off after the first turn that brings nobody more: it costs as much
   * as a few replies, and few full ones carry further than many half empty ones.
   *
   * A run that fails fails for its own passengers only.
   */
  board(key: string, run: () => Promise<Result>, turn?: number): Promise<Result> {
    const airport = this.#airports.get(key) ?? { flying: false, gathering: undefined, latest: undefined }
    this.#airports.set(key, airport)
    if (turn !== undefined && airport.latest?.turn === turn) return airport.latest.result
    const flight = airport.gathering ?? this.#gather(key, airport, run)
    flight.passengers++
    if (airport.flying) return flight.result
    if (turn !== undefined && turn === runningTurn()) flight.takeOff()
    else if (flight.passengers === 1) callAboard(airport, flight)
    return flight.result
  }

  #gather(key: string, airport: Airport<Result>, run: () => Promise<Result>): Flight<Result> {
    let start: () => void = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const result = started.then(run).finally(() => this.#land(key, airport))
    const takeOff = () => {
      const turn = runningTurn()
      airport.latest = turn === undefined ? undefined : { turn, result }
      airport.gathering = undefined
      airport.flying = true
      start()
    }
    airport.gathering = { result, passengers: 0, takeOff }
    return airport.gathering
  }

  /**
   * Whoever comes while replies are written gathers, and waits one turn longer: those who get them are soon back, and a run
   * costs as much as a few replies.
   */
  #land(key: string, airport: Airport<Result>): void {
    setImmediate(() => {
      airport.flying = false
      const { gathering } = airport
      if (gathering) callAboard(airport, gathering)
      else {
        // Old tables of a `Map` hold what was in them longer than one would think (`ring.ts`).
        airport.latest = undefined
        this.#airports.delete(key)
      }
    })
  }
}

/** Lets a run take off when a turn has brought nobody more. Called again, it does no harm: the first call decides. */
function callAboard<Result>(airport: Airport<Result>, flight: Flight<Result>, turns = 0): void {
  const aboard = flight.passengers
  setImmediate(() => {
    if (airport.gathering !== flight) return
    if (flight.passengers > aboard && turns < longestBoarding) callAboard(airport, flight, turns + 1)
    else flight.takeOff()
  })
}
