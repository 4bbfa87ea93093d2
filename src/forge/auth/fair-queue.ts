/** What the queue is fair to: networks take turns; within a turn, so do logins. */
export interface Waiter {
  readonly network: string
  readonly login: string
}

/** Maximum number of networks and of logins whose last turn is remembered while items wait. */
const maxServed = 10_000

/**
 * A queue that is fair to networks and logins. The network whose last turn is the longest ago comes first; a network
 * without a turn comes before all others. Among networks with equal turns, the login whose last turn is the longest ago
 * comes first. So a newcomer waits neither for everything one network has queued, nor for all networks that attack one
 * login.
 */
export class FairQueue<Item> {
  /** The waiting items by network and login, oldest first. A served login goes to the end of its network. */
  readonly #networks = new Map<string, Map<string, Item[]>>()
  /** The number of the last turn of each network and login. */
  readonly #networkTurns = new Map<string, number>()
  readonly #loginTurns = new Map<string, number>()
  #turn = 0
  #length = 0

  /** The number of waiting items. */
  get length(): number {
    return this.#length
  }

  add({ network, login }: Waiter, item: Item): void {
    const logins = this.#networks.get(network) ?? new Map<string, Item[]>()
    const items = logins.get(login) ?? []
    items.push(item)
    logins.set(login, items)
    this.#networks.set(network, logins)
    this.#length++
  }

  /** Removes and returns the next item. */
  next(): Item | undefined {
    const first = this.#first()
    if (!first) return undefined
    const { network, logins, login, items } = first
    const item = items.shift()
    logins.delete(login)
    if (items.length > 0) logins.set(login, items)
    else if (logins.size === 0) this.#networks.delete(network)
    this.#length--
    this.#noteTurn(network, login)
    return item
  }

  #first() {
    let earliest: { network: string; logins: Map<string, Item[]>; login: string; items: Item[] } | undefined
    let earliestTurns = [Infinity, Infinity] as const
    for (const [network, logins] of this.#networks) {
      const [entry] = logins
      if (!entry) continue
      const [login, items] = entry
      const turns = [this.#networkTurns.get(network) ?? 0, this.#loginTurns.get(login) ?? 0] as const
      const isEarlier = turns[0] - earliestTurns[0] || turns[1] - earliestTurns[1]
      if (isEarlier >= 0) continue
      earliest = { network, logins, login, items }
      earliestTurns = turns
    }
    return earliest
  }

  /**
   * Forgets all turns when the queue is empty, since there is nothing left to compare, or when too many are remembered.
   */
  #noteTurn(network: string, login: string): void {
    if (this.#length === 0 || this.#networkTurns.size >= maxServed || this.#loginTurns.size >= maxServed) {
      this.#networkTurns.clear()
      this.#loginTurns.clear()
    }
    this.#turn++
    this.#networkTurns.set(network, this.#turn)
    this.#loginTurns.set(login, this.#turn)
  }

  /**
   * Removes and returns the newest item of the largest network (of its largest login) to make room for one more item of
   * `waiter`. Returns undefined if that network or login would then be no larger than the waiter's own. Without a
   * `waiter` it always removes an item, if there is one.
   */
  displace(waiter?: Waiter): Item | undefined {
    const own = waiter && this.#networks.get(waiter.network)
    const largest = mostOf(this.#networks, sizeOf)
    if (!largest) return undefined
    const isOther = !waiter || sizeOf(largest[1]) > 1 + (own ? sizeOf(own) : 0)
    const [name, logins] = isOther || !own ? largest : [waiter.network, own]
    const longest = mostOf(logins, (items) => items.length)
    if (!longest) return undefined
    const [login, items] = longest
    if (!isOther && items.length <= 1 + (own?.get(waiter.login)?.length ?? 0)) return undefined
    const item = items.pop()
    if (items.length === 0) logins.delete(login)
    if (logins.size === 0) this.#networks.delete(name)
    this.#length--
    return item
  }
}

function sizeOf(logins: ReadonlyMap<string, readonly unknown[]>): number {
  let size = 0
  for (const items of logins.values()) size += items.length
  return size
}

/** The entry whose value has the greatest size. */
function mostOf<Value>(
  map: ReadonlyMap<string, Value>,
  size: (value: Value) => number,
): [string, Value] | undefined {
  let most: [string, Value] | undefined
  for (const entry of map) if (!most || size(entry[1]) > size(most[1])) most = entry
  return most
}
