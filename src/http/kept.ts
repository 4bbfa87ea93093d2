import type { States } from '../db/states.ts'
import type { Reply } from './reply.ts'

/** Bytes of one reply, and of all together, that are kept at most. */
const most = { each: 256 * 1024, together: 4 * 1024 * 1024 }

/** Runs that go without asking for the state, at most, where it is another one each time. */
const longestRest = 16

interface Kept {
  state: string | number
  reply: Reply
}

/**
 * Replies that hold until something is written: what a run gave is given again while the database is in the state that it
 * was in before that run. So an answer is as fresh as a query of its own would have been, and costs none.
 */
export class KeptReplies {
  readonly #states: States
  readonly #replies = new Map<string, Kept>()
  #bytes = 0
  /** The state that was told last, how many times in a row it was another one, and how many runs go without asking. */
  #newest: string | undefined
  #changes = 0
  #resting = 0

  constructor(states: States) {
    this.#states = states
  }

  /** The kept reply, where it can be told without asking that it holds. */
  atHand(key: string): Reply | undefined {
    if (!('now' in this.#states)) return undefined
    const kept = this.#replies.get(key)
    return kept && kept.state === this.#states.now() ? kept.reply : undefined
  }

  /** The kept reply if it holds, else what `run` gives. */
  async take(key: string, run: () => Promise<Reply>): Promise<Reply> {
    const state = 'now' in this.#states ? this.#states.now() : await this.#ask(this.#states.ask)
    if (state === undefined) return run()
    const kept = this.#replies.get(key)
    if (kept?.state === state) return kept.reply
    const reply = await run()
    this.#keep(key, { state, reply })
    return reply
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

  #keep(key: string, kept: Kept): void {
    this.#bytes -= this.#replies.get(key)?.reply.length ?? 0
    this.#replies.delete(key)
    if (kept.reply.length > most.each) return
    if (this.#bytes + kept.reply.length > most.together) {
      this.#replies.clear()
      this.#bytes = 0
    }
    this.#replies.set(key, kept)
    this.#bytes += kept.reply.length
  }
}
