import { FairQueue, type Waiter } from './fair-queue.ts'

/** Whose work it is, and what is asked about it when it would start. */
export interface Turn extends Waiter {
  /** Before all that are not preferred. */
  readonly isPreferred?: boolean
  /** Whether the work is still wanted when its turn has come. */
  readonly isWanted?: () => boolean
}

/** Lets a bounded number of works run at once and a bounded number wait, in fair turns. */
interface Semaphore {
  /**
   * Starts the work, now or when its turn comes, and passes its outcome (or its rejection) on. Undefined when it was not
   * and will not be started: the waiting room is full, somebody who had less waiting took the place, or it is not wanted.
   */
  run<Value>(work: () => Promise<Value>, turn?: Turn): Promise<Value | undefined>
}

/** A work that waits: `go` is told whether it starts. */
interface Waiting {
  readonly turn: Turn
  readonly go: (starts: boolean) => void
}

const nobody: Turn = { network: '', login: '' }

/** `atOnce` works run together (at least 1), `waiting` more are kept (at least 0). */
export function createSemaphore(limits: { readonly atOnce: number; readonly waiting: number }): Semaphore {
  const preferred = new FairQueue<Waiting>()
  const others = new FairQueue<Waiting>()
  let running = 0

  /** A finished work hands its place to the next in line, so that a newcomer cannot slip in between. */
  function leave(): void {
    for (let next = take(); next; next = take()) {
      const isWanted = next.turn.isWanted?.() ?? true
      next.go(isWanted)
      if (isWanted) return
    }
    running -= 1
  }

  const take = () => preferred.next() ?? others.next()

  /** Whether one more can wait, perhaps in the place of another. */
  function hasRoom(turn: Turn): boolean {
    if (preferred.length + others.length < limits.waiting) return true
    const displaced = turn.isPreferred
      ? (others.displace() ?? preferred.displace(turn))
      : others.displace(turn)
    displaced?.go(false)
    return displaced !== undefined
  }

  function wait(turn: Turn): Promise<boolean> {
    return new Promise((go) => (turn.isPreferred ? preferred : others).add(turn, { turn, go }))
  }

  return {
    async run(work, turn = nobody) {
      if (running < limits.atOnce) running += 1
      else if (!hasRoom(turn) || !(await wait(turn))) return undefined
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
