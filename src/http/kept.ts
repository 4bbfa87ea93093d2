import type { States } from '../db/states.ts'

/** Bytes of one answer with its key, and of all together, that are kept at most. */
const most = { each: 256 * 1024, together: 4 * 1024 * 1024 }

/** Runs that go without asking for the state, at most, where it is another one each time. */
const longestRest = 16

interface Entry<Value> {
  state: string | number
  value: Value
}

/**
 * Answers that hold until something is written: what a run gave is given again while the database is in the state that it
 * was in before that run. So an answer is as fresh as a query of its own would have been, and costs none. Only for what
 * follows from rows alone.
 */
export class Kept<Value> {
  readonly #states: States
  readonly #weigh: (value: Value) => number
  readonly #entries = new Map<string, Entry<Value>>()
  #bytes = 0
  /** The state that was told last, how many times in a row it was another one, and how many runs go without asking. */
  #newest: string | undefined
  #changes = 0
  #resting = 0

  /** `weigh` gives the bytes that an answer takes, about. */
  constructor(states: States, weigh: (value: Value) => number) {
    this.#states = states
    this.#weigh = weigh
  }

  /** The kept answer, where it can be told without asking that it holds. */
  atHand(key: string): Value | undefined {
    if (!('now' in this.#states)) return undefined
    const kept = this.#entries.get(key)
    return kept && kept.state === this.#states.now() ? kept.value : undefined
  }

  /** The kept answer if it holds, else what `run` gives. */
  async take(key: string, run: () => Promise<Value>): Promise<Value> {
    const state = 'now' in this.#states ? this.#states.now() : await this.#ask(this.#states.ask)
    if (state === undefined) return run()
    const kept = this.#entries.get(key)
    if (kept?.state === state) return kept.value
    const value = await run()
    this.#keep(key, { state, value })
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
    this.#entries.delete(key)
    const bytes = this.#bytesOf(key, entry)
    if (bytes > most.each) return
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
