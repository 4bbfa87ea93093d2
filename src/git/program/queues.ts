import { availableParallelism } from 'node:os'
import { type Caller, LimitError, Limiter, type Release } from '../../limiter/limiter.ts'
import { usageOf } from '../../limiter/usage.ts'
import type { ProcessLimits } from './spawn.ts'

/** Limits of a queue. */
interface Bounds {
  /** Maximum number of working processes, at least 1. */
  atOnce: number
  /** Maximum number of processes, including those that have worked for their time slice; `atOnce` by default. */
  running?: number
  /** Maximum number of further callers in the queue. */
  waiting: number
  /** Maximum number of processes of one client; absent: as of all. */
  perClient?: number
}

/** A place that a run has in its queue. */
interface Slot {
  /** Releases it; further calls do nothing. */
  release: () => void
  /** Lets the next in the queue work; the run continues and counts in `running` only. */
  yieldSlot: () => void
  /** Lets the next in the queue start, once there is room for one more run of a slow client; to be called once. */
  leavePlace: () => void
}

/** How many git processes may run at a time; defaults depend on the number of processors. */
export interface QueueOptions {
  /** Short runs of the server itself: creating, listing, reading. */
  short?: Bounds
  /** Questions for objects, which processes answer that stay open. */
  objects?: Bounds
  /** Short runs for which a transaction waits. */
  held?: Bounds
  /** Lists of refs for clients, and changes of refs. */
  refs?: Bounds
  /** Differences of commits, which clients get as text. */
  text?: Bounds
  /** Clones, fetches, pushes, archives and maintenance of repositories. */
  long?: Bounds
  /** Runs whose clients are slow, which have left their places. */
  slow?: { atOnce: number; perClient: number }
  /** Time for which a run works before it lets others work too, in milliseconds. */
  timeSlice?: number
  /** Maximum duration of a short run and of a clone, fetch or push, in milliseconds, without the time in the queue. */
  milliseconds?: { short: number; long: number }
  /** Maximum memory of a process that reads, and of one that packs objects, in bytes. */
  memory?: { short: number; long: number }
}

/** A queue for runs of one kind, and their limits. */
export interface RunQueue {
  /** Resolves when a place is free; `busy` if the queue is full, `cancelled` if the signal fires first. */
  acquire: (caller?: Caller) => Promise<Slot | 'busy' | 'cancelled'>
  milliseconds: number
  limits: ProcessLimits
  /** Whether they run at low priority. */
  niced: boolean
  timeSlice: number
}

/** The queues of all kinds of runs. */
export type RunQueues = Readonly<Record<'short' | 'objects' | 'held' | StreamKind, RunQueue>>

/** The kinds of runs whose output goes to a client while they work. Archives wait with `long`. */
export type StreamKind = 'refs' | 'text' | 'archive' | 'long'

export function createQueues(options: QueueOptions): RunQueues {
  const bounds = { ...defaultBounds(availableParallelism()), ...options }
  const { slow, timeSlice = 500, milliseconds = { short: 60_000, long: 3_600_000 } } = bounds
  const { memory = { short: 512 * 1024 ** 2, long: 2 * 1024 ** 3 } } = bounds
  const slowRuns = new Limiter({
    concurrency: slow.atOnce,
    concurrencyPerKey: slow.perClient,
    queue: Number.POSITIVE_INFINITY,
    usage: usageOf('git-slow'),
  })
  const reading = { memory: memory.short }
  const short = { milliseconds: milliseconds.short, niced: false, timeSlice, limits: reading }
  const streamed = { milliseconds: milliseconds.long, niced: true, timeSlice, limits: reading }
  // A slow client may take long to read what git has soon computed.
  const text = { ...streamed, limits: { ...reading, processor: Math.ceil(milliseconds.short / 1000) } }
  const long = createQueue('git-transfer', bounds.long, slowRuns)
  return {
    short: { ...short, acquire: createQueue('git-read', bounds.short, slowRuns) },
    objects: { ...short, acquire: createQueue('git-objects', bounds.objects, slowRuns) },
    held: { ...short, acquire: createQueue('git-held', bounds.held, slowRuns) },
    refs: { ...streamed, acquire: createQueue('git-refs', bounds.refs, slowRuns) },
    text: { ...text, acquire: createQueue('git-text', bounds.text, slowRuns) },
    archive: { ...streamed, acquire: long },
    long: { ...streamed, limits: { memory: memory.long }, acquire: long },
  }
}

function defaultBounds(processors: number) {
  const many = 4 * processors + 4
  const reads = { atOnce: 2 * processors + 2, waiting: 500, perClient: processors + 1 }
  // Even at low priority each process takes CPU time and cache: keep half of the processors for everything else.
  const atOnce = Math.max(1, Math.floor(processors / 2))
  return {
    short: reads,
    objects: reads,
    // Each caller keeps a connection of the database meanwhile, so there are no more callers than connections.
    held: { atOnce: 64, waiting: 500 },
    refs: { atOnce: 2 * processors, running: many, waiting: 200, perClient: many / 2 },
    text: { atOnce: processors, running: many, waiting: 200, perClient: many / 4 },
    long: { atOnce, running: atOnce + many, waiting: 200, perClient: many / 4 },
    slow: { atOnce: 64, perClient: 16 },
  }
}

/** A run takes one of `running`, then one of `atOnce`; those that wait for the latter are first in the queue. */
function createQueue(
  kind: string,
  { atOnce, running = atOnce, waiting, perClient = running }: Bounds,
  slowRuns: Limiter,
): RunQueue['acquire'] {
  const usage = usageOf(kind)
  const processes = new Limiter({ concurrency: running, queue: waiting, concurrencyPerKey: perClient })
  const working = new Limiter({ concurrency: atOnce, queue: running })
  return async (caller = {}) => {
    let leave = () => {}
    usage.waiting++
    try {
      leave = await processes.acquire(caller)
      const yieldSlot = await working.acquire(caller)
      usage.running++
      usage.started++
      const over = new AbortController()
      const release = () => {
        if (!over.signal.aborted) usage.running--
        over.abort()
        yieldSlot()
        leave()
      }
      const leavePlace = () => {
        const isRoom = slowRuns.acquire({ keys: caller.keys ?? [], signal: over.signal })
        const moveOut = (leaveSlow: Release) => {
          leave()
          leave = leaveSlow
          // It may have ended meanwhile.
          if (over.signal.aborted) leaveSlow()
        }
        void isRoom.then(moveOut, () => {})
      }
      return { release, yieldSlot, leavePlace }
    } catch (error) {
      leave()
      if (!(error instanceof LimitError) || error.reason === 'late') throw error
      if (error.reason === 'busy') usage.rejected++
      return error.reason
    } finally {
      usage.waiting--
    }
  }
}
