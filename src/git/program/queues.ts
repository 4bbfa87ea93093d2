import { availableParallelism } from 'node:os'
import { type Caller, LimitError, Limiter } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'

/** Limits of a queue. */
interface Bounds {
  /** Maximum number of working processes, at least 1. */
  atOnce: number
  /** Maximum number of processes, including those that have yielded their slot; `atOnce` by default. */
  running?: number
  /** Maximum number of further callers in the queue. */
  waiting: number
  /** Maximum number of working processes of one client; absent: as of all. */
  atOncePerClient?: number
}

/** A slot that a run holds. */
interface Slot {
  /** Releases it; further calls do nothing. */
  release: () => void
  /** Lets the next in the queue work; the run continues and counts in `running` only. */
  yieldSlot: () => void
}

/** How many git processes may run at a time; defaults depend on the number of processors. */
export interface QueueOptions {
  /** Short runs of the server itself: creating, listing, reading. */
  short?: Bounds
  /** Lists of refs for clients. */
  light?: Bounds
  /** Clones, fetches, pushes and maintenance of repositories; `running` includes those that have yielded their slot. */
  long?: Bounds
  /** Maximum time for which a long run keeps its slot while others wait, in milliseconds. */
  timeSlice?: number
  /** Maximum duration of a short run and of a clone, fetch or push, in milliseconds, without the time in the queue. */
  milliseconds?: { short: number; long: number }
}

/** A queue for runs of one kind, and their limits. */
export interface RunQueue {
  /** Resolves when a slot is free; `busy` if the queue is full, `cancelled` if the signal fires first. */
  acquire: (caller?: Caller) => Promise<Slot | 'busy' | 'cancelled'>
  milliseconds: number
  /** Whether they run at low priority. */
  niced: boolean
  timeSlice: number
}

/** The queues of all kinds of runs. */
interface RunQueues {
  short: RunQueue
  light: RunQueue
  long: RunQueue
}

export function createQueues(options: QueueOptions): RunQueues {
  const processors = availableParallelism()
  const many = 4 * processors + 4
  // Even at low priority each process takes CPU time and cache: keep half of the processors for everything else.
  const atOnce = Math.max(1, Math.floor(processors / 2))
  const long = options.long ?? { atOnce, running: atOnce + many, waiting: 200 }
  const light = options.light ?? { atOnce: 2 * processors, running: many, waiting: 200 }
  const short = options.short ?? { atOnce: 2 * processors + 2, waiting: 500, atOncePerClient: processors + 1 }
  const { timeSlice = 60_000, milliseconds = { short: 60_000, long: 3_600_000 } } = options
  return {
    short: {
      acquire: createQueue('git-read', short),
      milliseconds: milliseconds.short,
      niced: false,
      timeSlice,
    },
    light: {
      acquire: createQueue('git-refs', light),
      milliseconds: milliseconds.long,
      niced: true,
      timeSlice,
    },
    long: {
      acquire: createQueue('git-transfer', long),
      milliseconds: milliseconds.long,
      niced: true,
      timeSlice,
    },
  }
}

/** A run takes one of `running`, then one of `atOnce`; those that wait for the latter are first in the queue. */
function createQueue(
  kind: string,
  { atOnce, running = atOnce, waiting, atOncePerClient = running }: Bounds,
): RunQueue['acquire'] {
  const usage = usageOf(kind)
  const processes = new Limiter({ concurrency: running, queue: waiting, concurrencyPerKey: atOncePerClient })
  const working = new Limiter({ concurrency: atOnce, queue: running })
  return async (caller) => {
    let leave = () => {}
    usage.waiting++
    try {
      leave = await processes.acquire(caller)
      const yieldSlot = await working.acquire(caller)
      usage.running++
      usage.started++
      let isHeld = true
      const release = () => {
        yieldSlot()
        leave()
        if (isHeld) usage.running--
        isHeld = false
      }
      return { release, yieldSlot }
    } catch (error) {
      leave()
      usage.rejected++
      if (error instanceof LimitError && error.reason !== 'late') return error.reason
      throw error
    } finally {
      usage.waiting--
    }
  }
}
