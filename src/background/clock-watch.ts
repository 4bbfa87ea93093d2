import { performance } from 'node:perf_hooks'
import type { Log } from '../log.ts'
import { every, type Running } from './recurring.ts'

/** A larger difference between two checks, in milliseconds, means that the clock was set, not adjusted gradually. */
const tolerance = 5_000

/** Milliseconds between two checks of the clock. */
const interval = 1_000

/** Clocks of this machine, in milliseconds: `wall` may be set, `monotonic` only increases. */
interface Clocks {
  wall: () => number
  monotonic: () => number
}

const machineClocks: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() }

/**
 * Detects that the clock of the machine was set, or stopped while a virtual machine was suspended: the times in the
 * database then differ from the present clock.
 */
export class ClockWatch {
  readonly #clocks: Clocks
  #offset: number
  #steadySince: number

  constructor(clocks: Clocks = machineClocks) {
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

  /** Checks the clock repeatedly; calls `onSetBack` after it was set back. */
  start(log: Log, onSetBack: () => Promise<void>, milliseconds = interval): Running {
    let isBehind = false
    return every(milliseconds, 'check the clock', log, async () => {
      const step = this.#check()
      if (step !== 0)
        log.warn(step < 0 ? 'the clock was set back' : 'the clock was set forward', {
          seconds: Math.round(Math.abs(step) / 1000),
        })
      isBehind ||= step < 0
      if (!isBehind) return
      // Fails while the database is unavailable, and is repeated.
      await onSetBack()
      isBehind = false
    })
  }

  /** How far the clock was set since the last check, in milliseconds; 0 when it was not. */
  #check(): number {
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
