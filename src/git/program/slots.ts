/** A slot that a caller holds. */
export interface Slot {
  /** Releases it; further calls do nothing. */
  release: () => void
  /** Gives the slot to the next in the queue and goes on without one, counted in `running` only. */
  yieldSlot: () => void
}

/** Limits of a queue. */
export interface Bounds {
  /** Number of slots, at least 1. */
  atOnce: number
  /** Maximum running callers, including those that have yielded their slot; `atOnce` by default. */
  running?: number
  /** Maximum callers in the queue, at least 0. */
  waiting: number
}

/** A limited number of slots with a bounded first-in-first-out queue. */
export interface Slots {
  /** Resolves when a slot is free; `busy` at once if the queue is full, `cancelled` if the signal fires first. */
  acquire: (signal?: AbortSignal) => Promise<Slot | 'busy' | 'cancelled'>
}

export function createSlots({ atOnce, running = atOnce, waiting }: Bounds): Slots {
  const queue = new Set<() => void>()
  let taken = 0
  let active = 0

  const isFree = () => taken < atOnce && active < running

  /** Starts waiting callers synchronously, so that no new caller can overtake them. */
  function startWaiting(): void {
    for (const enter of queue) {
      if (!isFree()) return
      queue.delete(enter)
      enter()
    }
  }

  function occupy(): Slot {
    taken++
    active++
    let hasSlot = true
    let isActive = true
    const yieldSlot = () => {
      if (!hasSlot) return
      hasSlot = false
      taken--
      startWaiting()
    }
    const release = () => {
      if (!isActive) return
      isActive = false
      active--
      if (hasSlot) yieldSlot()
      else startWaiting()
    }
    return { release, yieldSlot }
  }

  function wait(signal: AbortSignal | undefined): Promise<Slot | 'cancelled'> {
    return new Promise((resolve) => {
      const start = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve(occupy())
      }
      const giveUp = () => {
        queue.delete(start)
        resolve('cancelled')
      }
      queue.add(start)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    acquire: async (signal) => {
      if (signal?.aborted) return 'cancelled'
      if (isFree()) return occupy()
      return queue.size >= waiting ? 'busy' : wait(signal)
    },
  }
}
