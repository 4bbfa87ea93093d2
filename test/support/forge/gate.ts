import type { Pool } from '../../../src/db/sql.ts'
import { until } from '../wait.ts'

/** A pool whose transactions wait while the gate is closed; single statements do not. */
export interface Gate {
  pool: Pool
  /** From now on transactions wait. */
  close: () => void
  /** Lets those go on that wait, and all later ones. */
  open: () => void
  /** Lets those go on that wait, but no later ones. */
  step: () => void
  /** How many wait. */
  waiting: () => number
}

/** A gate before the transactions of whoever uses its pool. */
export function gateBefore(given: Pool): Gate {
  let waiting: (() => void)[] = []
  let isClosed = false
  const begin = async (...work: Parameters<Pool['begin']>) => {
    if (isClosed) await new Promise<void>((resolve) => waiting.push(resolve))
    return given.begin(...work)
  }
  const step = () => {
    for (const goOn of waiting) goOn()
    waiting = []
  }
  return {
    pool: new Proxy(given, {
      get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
    }),
    close: () => {
      isClosed = true
    },
    open: () => {
      isClosed = false
      step()
    },
    step,
    waiting: () => waiting.length,
  }
}

/** Whether what is under way comes to wait at the gate; false if it ends before. */
export async function waitsAt(gate: Gate, underWay: Promise<unknown>): Promise<boolean> {
  const before = gate.waiting()
  let isOver = false
  underWay.then(
    () => {
      isOver = true
    },
    () => {
      isOver = true
    },
  )
  await until('it waits or is over', () => isOver || gate.waiting() > before)
  return !isOver
}
