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
