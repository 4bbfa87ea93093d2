import { RequestCoalescer } from './coalescer.ts'
import type { Limiter } from './limiter.ts'
import type { DatabaseVersion, ValidatedCache } from './validated-cache.ts'

/** A read that callers may share. Equal ones have equal keys. */
export interface Read<Value> {
  key: string
  /** `state` is that of the database before the run, as far as it is known. */
  run: (state: DatabaseVersion | undefined) => Promise<Value>
  /** Whether what it gives follows from rows alone, so that it holds until something is written. */
  holds: boolean
}

/** What is known of who asks for a read. */
interface Asking {
  /** A state that the database was in since they came: then it is not asked again. */
  seen?: DatabaseVersion | undefined
}

/**
 * Reads that callers share: an answer that holds is given again, and for any other a run behind the gate is shared by those
 * who wait for it. Each answer is as fresh as a run of its own would have given.
 */
export class CoalescedReads<Value extends object> {
  readonly #coalescer = new RequestCoalescer<Value>()
  readonly #gate: Limiter
  readonly #kept: ValidatedCache<Value>

  constructor(gate: Limiter, kept: ValidatedCache<Value>) {
    this.#gate = gate
    this.#kept = kept
  }

  /** A promise only where something is waited for. @throws Problem 503 of the gate */
  take({ key, run, holds }: Read<Value>, { seen }: Asking = {}): Value | Promise<Value> {
    if (!holds) return this.#coalescer.join(key, () => this.#gate.pass(() => run(undefined)))
    return (
      this.#kept.atHand(key, seen) ??
      this.#coalescer.join(key, () => this.#gate.pass(() => this.#kept.take(key, run, seen)))
    )
  }
}
