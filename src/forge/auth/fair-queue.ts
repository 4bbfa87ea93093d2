/** Who waits: networks take turns, and within a network its logins do. */
export interface Waiter {
  readonly network: string
  readonly login: string
}

/** Things that wait, of which no network gets more than the others, nor within a network a login. */
export class FairQueue<Item> {
  /** What waits by network and login, oldest first. Whoever was served goes to the end of its map. */
  readonly #networks = new Map<string, Map<string, Item[]>>()
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

  /** Takes the oldest of the login, of the network, that was served the longest ago. */
  next(): Item | undefined {
    const [network] = this.#networks
    const [login] = network?.[1] ?? []
    if (!network || !login) return undefined
    const item = login[1].shift()
    rotate(network[1], login, login[1].length > 0)
    rotate(this.#networks, network, network[1].size > 0)
    this.#length--
    return item
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

/** Moves an entry to the end of its map, or removes it. */
function rotate<Value>(
  map: Map<string, Value>,
  [key, value]: readonly [string, Value],
  stays: boolean,
): void {
  map.delete(key)
  if (stays) map.set(key, value)
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
