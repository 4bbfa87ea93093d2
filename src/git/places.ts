/** Gives a place back; calling it again does nothing. */
export type Leave = () => void

/** A bounded number of places and a bounded queue before them, in arrival order. */
export interface Places {
  /** Resolves when a place is free; `busy` at once when the queue is full, `cancelled` when the signal fires first. */
  enter: (signal?: AbortSignal) => Promise<Leave | 'busy' | 'cancelled'>
  /** Places taken now. */
  taken: () => number
}

/** `atOnce` places (at least 1), `waiting` more callers are kept (at least 0). */
export function createPlaces({ atOnce, waiting }: { atOnce: number; waiting: number }): Places {
  const queue = new Set<() => void>()
  let taken = 0

  /** A place goes straight to the next in line, so that no newcomer slips in between. */
  function leave(): void {
    const [next] = queue
    if (next === undefined) {
      taken--
      return
    }
    queue.delete(next)
    next()
  }

  function leaveOnce(): Leave {
    let left = false
    return () => {
      if (left) return
      left = true
      leave()
    }
  }

  function wait(signal: AbortSignal | undefined): Promise<Leave | 'cancelled'> {
    return new Promise((resolve) => {
      const enter = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve(leaveOnce())
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
      if (taken >= atOnce) return queue.size >= waiting ? 'busy' : wait(signal)
      taken++
      return leaveOnce()
    },
    taken: () => taken,
  }
}
