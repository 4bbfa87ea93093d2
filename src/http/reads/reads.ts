import { RequestCoalescer } from './coalescer.ts'
import type { DatabaseLimiter } from './database-limiter.ts'
import type { DatabaseVersion, ValidatedCache } from './validated-cache.ts'

/** A read that callers may share. Equal reads have equal keys. */
export interface Read<Value> {
  key: string
  /** `version` is the database version before the run, if known. */
  run: (version: DatabaseVersion | undefined) => Promise<Value>
  /** Whether the result depends on database rows alone, so that it stays valid until something is written. */
  cacheable: boolean
}

/** What is known about the caller of a read. */
interface ReadOptions {
  /** A database version observed after the caller arrived; it need not be queried again. */
  observedVersion?: DatabaseVersion | undefined
}

/**
 * Reads that callers share: a cacheable result is reused while it is valid; otherwise the callers that wait for the
 * same read share one run inside the limiter. Each result is as fresh as that of a separate run.
 */
export class CoalescedReads<Value extends object> {
  readonly #coalescer = new RequestCoalescer<Value>()
  readonly #limiter: DatabaseLimiter
  readonly #cache: ValidatedCache<Value>

  constructor(limiter: DatabaseLimiter, cache: ValidatedCache<Value>) {
    this.#limiter = limiter
    this.#cache = cache
  }

  /** Returns a promise only if it has to wait. @throws Problem 503 from the limiter */
  get({ key, run, cacheable }: Read<Value>, { observedVersion }: ReadOptions = {}): Value | Promise<Value> {
    if (!cacheable) return this.#coalescer.join(key, () => this.#limiter.run(() => run(undefined)))
    return (
      this.#cache.getIfFresh(key, observedVersion) ??
      this.#coalescer.join(key, () => this.#limiter.run(() => this.#cache.get(key, run, observedVersion)))
    )
  }
}
