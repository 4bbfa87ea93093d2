/** The owner of an item; undefined: it has none. */
type Key = string | number | undefined

/** The place of an item in the order of a queue. */
export interface Place {
  /** Keys of its owner, the most important one first: a network, then a login. */
  readonly keys: readonly Key[]
  /** Whether it goes before everything that is not preferred. */
  readonly isPreferred: boolean
  readonly weight: number
}

/** Maximum number of keys whose last turn is stored while items wait. */
const maxTurns = 20_000

/**
 * A queue in which keys take turns. The item whose first key had its last turn the longest ago is next; among equals
 * the second key decides, then the order of arrival. So a newcomer waits neither for all items of one network nor for all
 * networks that try one login.
 */
export class FairQueue<Item extends Place> {
  /** In order of arrival. */
  readonly #items: Item[] = []
  /** The number of the last turn of each key; absent: none since the queue was empty. */
  readonly #turns = new Map<string, number>()
  #turn = 0

  get length(): number {
    return this.#items.length
  }

  /** Total weight of the items. */
  get weight(): number {
    return this.#items.reduce((sum, { weight }) => sum + weight, 0)
  }

  add(item: Item): void {
    this.#items.push(item)
  }

  /** Whether the item was still in the queue. */
  remove(item: Item): boolean {
    const at = this.#items.indexOf(item)
    if (at >= 0) this.#items.splice(at, 1)
    return at >= 0
  }

  /** Removes and returns the next of the items that may run. */
  next(mayRun: (item: Item) => boolean): Item | undefined {
    const lastTurn = (key: Key, level: number) => this.#turns.get(turnName(key, level)) ?? 0
    const first = this.#items
      .filter(mayRun)
      .reduce<Item | undefined>(
        (best, item) => (best && !precedes(rank(item, lastTurn), rank(best, lastTurn)) ? best : item),
        undefined,
      )
    if (first) {
      this.remove(first)
      this.#noteTurn(first)
    }
    return first
  }

  /** An empty queue needs no turns. */
  #noteTurn({ keys }: Item): void {
    if (this.#turns.size > 0 && (this.length === 0 || this.#turns.size > maxTurns)) this.#turns.clear()
    if (this.length === 0) return
    this.#turn++
    for (const [level, key] of keys.entries()) this.#turns.set(turnName(key, level), this.#turn)
  }

  /**
   * The newest item of the first key with most items, and within it of the second key with most; an item that is not
   * preferred rather than one that is. A newcomer that was added before thus displaces only those who have more.
   */
  mostCrowded(): Item | undefined {
    const sizes = new Map<string, number>()
    for (const { keys } of this.#items) {
      for (const group of keys.map(groupName)) sizes.set(group, (sizes.get(group) ?? 0) + 1)
    }
    const size = (key: Key, level: number, keys: readonly Key[]) =>
      sizes.get(groupName(key, level, keys)) ?? 0
    return this.#items.reduce<Item | undefined>(
      (worst, item) => (worst && precedes(rank(item, size), rank(worst, size)) ? worst : item),
      undefined,
    )
  }
}

const turnName = (key: Key, level: number) => `${level} ${key}`

/** All items with the same keys up to this one. */
const groupName = (_: Key, level: number, keys: readonly Key[]) => keys.slice(0, level + 1).join('\n')

type NumberOf = (key: Key, level: number, keys: readonly Key[]) => number

const rank = ({ isPreferred, keys }: Place, numberOf: NumberOf) => [
  isPreferred ? 0 : 1,
  ...keys.map(numberOf),
]

/** Whether the first difference of two ranks is a smaller number in the first one. */
function precedes(one: readonly number[], other: readonly number[]): boolean {
  const level = one.findIndex((number, at) => number !== other[at])
  return level >= 0 && (one[level] ?? 0) < (other[level] ?? 0)
}
