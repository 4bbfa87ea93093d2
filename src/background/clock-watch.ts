import { performance } from 'node:perf_hooks'
import type { Log } from '../log.ts'
import { every, type Running } from './every.ts'

/** A difference, in milliseconds, that no gentle adjustment makes between two looks. */
const tolerance = 5_000

/** Milliseconds between two looks at the clock. */
const interval = 1_000

/** Clocks of this machine, in milliseconds: `wall` may be set, `monotonic` only goes on. */
interface Clocks {
  wall: () => number
  monotonic: () => number
}

const ofMachine: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() }

/**
 * Notices when the clock of the machine is set, or has stood still as it does while a virtual machine is suspended: times
 * in the database are then compared with a clock that did not go on evenly.
 */
export class ClockWatch {
  readonly #clocks: Clocks
  #offset: number
  #steadySince: number

  constructor(clocks: Clocks = ofMachine) {
    this.#clocks = clocks
    this.#offset = this.#offsetNow()
    this.#steadySince = clocks.monotonic()
  }

  /** Milliseconds since the clock was set, or since this was made. */
  steadyFor(): number {
    return Math.abs(this.#offsetNow() - this.#offset) > tolerance
      ? 0
      : this.#clocks.monotonic() - this.#steadySince
  }

  /** Looks at the clock again and again; calls `wentBack` after it was set back. */
  start(log: Log, wentBack: () => Promise<void>, milliseconds = interval): Running {
    let isBehind = false
    return every(milliseconds, 'look at the clock', log, async () => {
      const step = this.#look()
      if (step !== 0)
        log.warn(step < 0 ? 'the clock was set back' : 'the clock was set forward', {
          seconds: Math.round(Math.abs(step) / 1000),
        })
      isBehind ||= step < 0
      if (!isBehind) return
      // Fails while the database is away, and is repeated.
      await wentBack()
      isBehind = false
    })
  }

  /** How far the clock was set since the last look, in milliseconds; 0 when it was not. */
  #look(): number {
    const offset = this.#offsetNow()
    const step = offset - this.#offset
    this.#offset = offset
    if (Math.abs(step) <= tolerance) return 0
    this.#steadySince = this.#clocks.monotonic()
    return step
  }

  #offsetNow(): number {
    return this.#clocks.wall() - this.#clocks.monotonic()
  }
}
