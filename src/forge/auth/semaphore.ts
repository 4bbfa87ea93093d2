import { FairQueue, type Waiter } from './fair-queue.ts'

/** Whose work it is, and whether it is preferred and still wanted. */
export interface Turn extends Waiter {
  /** Runs before all work that is not preferred. */
  readonly isPreferred?: boolean
  /** Asked when the turn comes: whether the work is still wanted. */
  readonly isWanted?: () => boolean
}

/** Runs a bounded number of jobs at once and lets a bounded number wait, in fair turns. */
interface Semaphore {
  /**
   * Runs the work, now or when its turn comes, and returns its result (or rejects with its error). Returns undefined if
   * the work does not run: the queue is full, a waiter with fewer entries displaced it, or it is no longer wanted.
   */
  run<Value>(work: () => Promise<Value>, turn?: Turn): Promise<Value | undefined>
}

/** Waiting work: `resume` is called with whether it runs. */
interface Waiting {
  readonly turn: Turn
  readonly resume: (starts: boolean) => void
}

const anyone: Turn = { network: '', login: '' }

/** Runs `atOnce` jobs concurrently (at least 1) and queues `waiting` more (at least 0). */
export function createSemaphore(limits: { readonly atOnce: number; readonly waiting: number }): Semaphore {
  const preferred = new FairQueue<Waiting>()
  const others = new FairQueue<Waiting>()
  let running = 0

  /** Passes the slot of finished work directly to the next waiter, so that a newcomer cannot take it. */
  function release(): void {
    for (let next = nextWaiter(); next; next = nextWaiter()) {
      const isWanted = next.turn.isWanted?.() ?? true
      next.resume(isWanted)
      if (isWanted) return
    }
    running -= 1
  }

  const nextWaiter = () => preferred.next() ?? others.next()

  /** Whether one more can wait, possibly by displacing another. */
  function makeRoom(turn: Turn): boolean {
    if (preferred.length + others.length < limits.waiting) return true
    const displaced = turn.isPreferred
      ? (others.displace() ?? preferred.displace(turn))
      : others.displace(turn)
    displaced?.resume(false)
    return displaced !== undefined
  }

  function wait(turn: Turn): Promise<boolean> {
    return new Promise((resume) => (turn.isPreferred ? preferred : others).add(turn, { turn, resume }))
  }

  return {
    async run(work, turn = anyone) {
      if (running < limits.atOnce) running += 1
      else if (!makeRoom(turn) || !(await wait(turn))) return undefined
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
