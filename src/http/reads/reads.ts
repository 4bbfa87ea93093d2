import type { DatabaseVersion } from '../../db/version.ts'
import { RequestCoalescer } from './coalescer.ts'
import type { DatabaseLimiter } from './database-limiter.ts'
import type { ValidatedCache } from './validated-cache.ts'

/** Shared reads of this process by the source of their answers, and their runs; for `src/metrics`. */
export const readCounts = { cached: 0, joined: 0, runs: 0 }

/** A read that callers may share. Equal reads have equal keys. */
interface Read<Value, Caller> {
  key: string
  /** `version` is the database version before the run, if known; `callers` are all who wait for the run. */
  run: (version: DatabaseVersion | undefined, callers: Callers<Caller>) => Promise<Value>
  /** Whether the result depends on database rows alone, so that it stays valid until something is written. */
  cacheable: boolean
}

type Callers<Caller> = readonly [Caller | undefined, ...(Caller | undefined)[]]

/** What is known about the caller of a read. */
interface ReadOptions<Caller> {
  caller?: Caller
  /** A database version observed after the caller arrived; it need not be queried again. */
  observedVersion?: DatabaseVersion | undefined
  /** The network of the caller, whose share of the limiter a run takes; called only for a run. */
  client?: (() => string) | undefined
}

/**
 * Reads that callers share: a cacheable result is reused while it is valid; otherwise the callers that wait for the
 * same read share one run inside the limiter. Each result is as fresh as that of a separate run.
 */
export class CoalescedReads<Value extends object, Caller = never> {
  readonly #coalescer = new RequestCoalescer<Value, Caller | undefined>()

  constructor(
    readonly limiter: DatabaseLimiter,
    readonly cache: ValidatedCache<Value>,
  ) {}

  /** Returns a promise only if it has to wait. @throws Problem 503 from the limiter */
  get(
    { key, run, cacheable }: Read<Value, Caller>,
    { observedVersion, client, caller }: ReadOptions<Caller> = {},
  ): Value | Promise<Value> {
    const cached = cacheable ? this.cache.getIfFresh(key, observedVersion) : undefined
    if (cached) {
      readCounts.cached++
      return cached
    }
    readCounts.joined++
    const start = (callers: Callers<Caller>) => {
      readCounts.runs++
      const runFor = (version: DatabaseVersion | undefined) => run(version, callers)
      const read = () => (cacheable ? this.cache.get(key, runFor, observedVersion) : runFor(undefined))
      return this.limiter.run(read, client?.())
    }
    return this.#coalescer.join(key, start, caller)
  }
}
