/** A place that somebody has. */
export interface Slot {
  /** Gives it back; calling it again does nothing. */
  leave: () => void
  /** Lets the next in line have it and goes on beside the others, as one of those `inside`. */
  stepAside: () => void
}

/** How many there is room for. */
export interface Bounds {
  /** Places, at least 1. */
  atOnce: number
  /** Callers inside, with those that have stepped aside; `atOnce` unless told. */
  inside?: number
  /** Callers that are kept in line, at least 0. */
  waiting: number
}

/** A bounded number of places and a bounded queue before them, in arrival order. */
export interface Slots {
  /** Resolves when a place is free; `busy` at once when the queue is full, `cancelled` when the signal fires first. */
  enter: (signal?: AbortSignal) => Promise<Slot | 'busy' | 'cancelled'>
}

export function createPlaces({ atOnce, inside = atOnce, waiting }: Bounds): Slots {
  const queue = new Set<() => void>()
  let taken = 0
  let present = 0

  const hasRoom = () => taken < atOnce && present < inside

  /** Those in line enter in the same turn, so that no newcomer slips in between. */
  function admit(): void {
    for (const enter of queue) {
      if (!hasRoom()) return
      queue.delete(enter)
      enter()
    }
  }

  function take(): Slot {
    taken++
    present++
    let hasPlace = true
    let isInside = true
    const stepAside = () => {
      if (!hasPlace) return
      hasPlace = false
      taken--
      admit()
    }
    const leave = () => {
      if (!isInside) return
      isInside = false
      present--
      if (hasPlace) stepAside()
      else admit()
    }
    return { leave, stepAside }
  }

  function wait(signal: AbortSignal | undefined): Promise<Slot | 'cancelled'> {
    return new Promise((resolve) => {
      const enter = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve(take())
      }
      const giveUp = () => {
        queue.delete(enter)
        resolve('cancelled')
      }
      queue.add(enter)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    enter: async (signal) => {
      if (signal?.aborted) return 'cancelled'
      if (hasRoom()) return take()
      return queue.size >= waiting ? 'busy' : wait(signal)
    },
  }
}
