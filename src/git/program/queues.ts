import { availableParallelism } from 'node:os'
import { type Bounds, createSlots, type Slots } from './slots.ts'

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
  slots: Slots
  milliseconds: number
  /** Whether they run at low priority. */
  niced: boolean
  timeSlice: number
}

/** The queues of all kinds of runs. */
export interface RunQueues {
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
  const short = options.short ?? { atOnce: 2 * processors + 2, waiting: 500 }
  const { timeSlice = 60_000, milliseconds = { short: 60_000, long: 3_600_000 } } = options
  return {
    short: { slots: createSlots(short), milliseconds: milliseconds.short, niced: false, timeSlice },
    light: { slots: createSlots(light), milliseconds: milliseconds.long, niced: true, timeSlice },
    long: { slots: createSlots(long), milliseconds: milliseconds.long, niced: true, timeSlice },
  }
}
