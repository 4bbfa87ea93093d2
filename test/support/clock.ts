/** A clock that stands still until it is moved. */
export interface StoppedClock {
  now: () => Date
  /** Moves it on by milliseconds. */
  tick: (milliseconds: number) => void
}

export function stoppedClock(start = '2026-01-31T08:00:00.000Z'): StoppedClock {
  let moment = Date.parse(start)
  return {
    now: () => new Date(moment),
    tick: (milliseconds) => {
      moment += milliseconds
    },
  }
}

/** Clocks of a machine whose wall clock can be set, for the watch over it. */
export function settableClocks() {
  let passed = 0
  let offset = Date.parse('2026-01-31T08:00:00Z')
  return {
    wall: () => offset + passed,
    monotonic: () => passed,
    /** Lets time pass, in milliseconds. */
    pass: (milliseconds: number) => {
      passed += milliseconds
    },
    /** Sets the wall clock forward, or back when it is negative. */
    set: (milliseconds: number) => {
      offset += milliseconds
    },
  }
}
