/** Lets a bounded number of works run at once and a bounded number wait, in arrival order. */
interface Semaphore {
  /**
   * Starts the work, now or when its turn comes, and passes its outcome (or its rejection) on.
   * Undefined when the waiting room is full: the work was not and will not be started.
   */
  run<Value>(work: () => Promise<Value>): Promise<Value> | undefined
}

/** `atOnce` works run together (at least 1), `waiting` more are kept (at least 0). */
export function createSemaphore(limits: { readonly atOnce: number; readonly waiting: number }): Semaphore {
  const queue: (() => void)[] = []
  let running = 0

  /** A finished work hands its place to the next in line, so that a newcomer cannot slip in between. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }

  async function occupy<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } finally {
      leave()
    }
  }

  function wait(): Promise<void> {
    return new Promise((resolve) => queue.push(resolve))
  }

  return {
    run(work) {
      if (running < limits.atOnce) {
        running += 1
        return occupy(work)
      }
      if (queue.length >= limits.waiting) return undefined
      return wait().then(() => occupy(work))
    },
  }
}
