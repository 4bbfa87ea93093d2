/** Who waits: networks take turns, and so do the logins of one network and those of networks whose turn is the same. */
export interface Waiter {
  readonly network: string
  readonly login: string
}

/** Networks and logins whose last turn is remembered while something waits. */
const mostServed = 10_000

/**
 * Things that wait. The network that was served the longest ago comes first, or never while something waited; of several
 * such networks that whose login was served the longest ago. So a newcomer waits neither for all that one network has
 * brought, nor for all networks that attack one login.
 */
export class FairQueue<Item> {
  /** What waits by network and login, oldest first. A login that was served goes to the end of its network. */
  readonly #networks = new Map<string, Map<string, Item[]>>()
  /** The number of the last turn of each network and login. */
  readonly #networkTurns = new Map<string, number>()
  readonly #loginTurns = new Map<string, number>()
  #turn = 0
  #length = 0

  /** Things that wait. */
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

  /** Takes the one whose turn it is. */
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
    let least: { network: string; logins: Map<string, Item[]>; login: string; items: Item[] } | undefined
    let leastTurns = [Infinity, Infinity] as const
    for (const [network, logins] of this.#networks) {
      const [line] = logins
      if (!line) continue
      const [login, items] = line
      const turns = [this.#networkTurns.get(network) ?? 0, this.#loginTurns.get(login) ?? 0] as const
      const isEarlier = turns[0] - leastTurns[0] || turns[1] - leastTurns[1]
      if (isEarlier >= 0) continue
      least = { network, logins, login, items }
      leastTurns = turns
    }
    return least
  }

  /** When nothing waits, nobody has to be compared with anybody. */
  #noteTurn(network: string, login: string): void {
    if (this.#length === 0 || this.#networkTurns.size >= mostServed || this.#loginTurns.size >= mostServed) {
      this.#networkTurns.clear()
      this.#loginTurns.clear()
    }
    this.#turn++
    this.#networkTurns.set(network, this.#turn)
    this.#loginTurns.set(login, this.#turn)
  }

  /**
   * Takes the newest of the network that has most, of its login that has most, to make room for one more of `waiter`;
   * nothing where that would have as many then. Without a waiter it takes the same whatever there is.
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
