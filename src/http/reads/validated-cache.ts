import type { VersionSource } from '../../db/version.ts'

/** Bytes of one answer with its key, and of all together, that are kept at most. */
const most = { each: 256 * 1024, together: 4 * 1024 * 1024 }

/** Runs that go without asking for the state, at most, where it is another one each time. */
const longestRest = 16

/** A word for a state of the database, which never comes back. */
export type DatabaseVersion = string | number

interface Entry<Value> {
  state: DatabaseVersion
  value: Value
}

/**
 * Answers that hold until something is written: what a run gave is given again while the database is in the state that it
 * was in before that run. So an answer is as fresh as a query of its own would have been, and costs none. Only for what
 * follows from rows alone.
 */
export class ValidatedCache<Value extends object> {
  readonly #states: VersionSource
  readonly #weigh: (value: Value) => number
  readonly #entries = new Map<string, Entry<Value>>()
  #bytes = 0
  /** The state that was told last, how many times in a row it was another one, and how many runs go without asking. */
  #newest: string | undefined
  #changes = 0
  #resting = 0

  /** `weigh` gives the bytes that an answer takes, about. */
  constructor(states: VersionSource, weigh: (value: Value) => number) {
    this.#states = states
    this.#weigh = weigh
  }

  /**
   * The kept answer, where it can be told without asking that it holds. `seen` is a state that the database was in since
   * whoever wants it came.
   */
  atHand(key: string, seen?: DatabaseVersion): Value | undefined {
    return this.#holding(key, 'now' in this.#states ? this.#states.now() : seen)
  }

  /**
   * The kept answer if it holds, else what `run` gives, which is told the state before it. With `seen`, where that was not
   * enough for `atHand`, nobody asks: what was kept under it may be too old for others who share the run.
   */
  async take(
    key: string,
    run: (state: DatabaseVersion | undefined) => Promise<Value>,
    seen?: DatabaseVersion,
  ): Promise<Value> {
    if ('ask' in this.#states && seen !== undefined) return this.#renew(key, run, seen)
    const state = 'now' in this.#states ? this.#states.now() : await this.#ask(this.#states.ask)
    return this.#holding(key, state) ?? this.#renew(key, run, state)
  }

  #holding(key: string, state: DatabaseVersion | undefined): Value | undefined {
    const kept = this.#entries.get(key)
    return kept && kept.state === state ? kept.value : undefined
  }

  async #renew(
    key: string,
    run: (state: DatabaseVersion | undefined) => Promise<Value>,
    state: DatabaseVersion | undefined,
  ): Promise<Value> {
    const value = await run(state)
    if (state !== undefined) this.#keep(key, { state, value })
    return value
  }

  /** Where everything changes all the time, asking first would be one trip more for each run: then it is left out. */
  async #ask(ask: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#resting > 0) {
      this.#resting--
      return undefined
    }
    const state = await ask()
    this.#changes = state === this.#newest ? 0 : this.#changes + 1
    this.#resting = Math.min(this.#changes >> 1, longestRest)
    this.#newest = state
    return state
  }

  #keep(key: string, entry: Entry<Value>): void {
    const before = this.#entries.get(key)
    if (before) this.#bytes -= this.#bytesOf(key, before)
    const bytes = this.#bytesOf(key, entry)
    if (bytes > most.each) {
      this.#entries.delete(key)
      return
    }
    if (this.#bytes + bytes > most.together) {
      this.#entries.clear()
      this.#bytes = 0
    }
    this.#entries.set(key, entry)
    this.#bytes += bytes
  }

  /** A key has what a caller likes to search for. */
  #bytesOf(key: string, { value }: Entry<Value>): number {
    return 2 * key.length + this.#weigh(value)
  }
}
