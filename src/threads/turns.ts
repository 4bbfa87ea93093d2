/** The owner of a queued item: an id, or a name. */
export type Owner = number | string

/** A fair queue: owners take turns, so that none waits for all items of another. */
export class Turns<Item> {
  /** The items of each owner, in order. An owner that was served moves to the end. */
  readonly #queues = new Map<Owner, Item[]>()
  #length = 0

  /** Number of waiting items. */
  get length(): number {
    return this.#length
  }

  add(owner: Owner, item: Item): void {
    const queue = this.#queues.get(owner)
    if (queue) queue.push(item)
    else this.#queues.set(owner, [item])
    this.#length++
  }

  /** Takes the oldest item of the owner served least recently among those that may be served. */
  next(mayBeServed: (owner: Owner) => boolean = () => true): Item | undefined {
    for (const [owner, queue] of this.#queues) {
      if (!mayBeServed(owner)) continue
      this.#queues.delete(owner)
      const item = queue.shift()
      if (queue.length > 0) this.#queues.set(owner, queue)
      this.#length--
      return item
    }
    return undefined
  }

  /** Removes one item; false if it is not waiting any more. */
  remove(owner: Owner, item: Item): boolean {
    const queue = this.#queues.get(owner)
    const index = queue?.indexOf(item) ?? -1
    if (!queue || index < 0) return false
    queue.splice(index, 1)
    if (queue.length === 0) this.#queues.delete(owner)
    this.#length--
    return true
  }

  /** Removes the newest item of the owner with most, if that is more than `owner` would have with one more. */
  evict(owner: Owner): Item | undefined {
    let max = 1 + (this.#queues.get(owner)?.length ?? 0)
    let longest: Item[] | undefined
    for (const queue of this.#queues.values()) {
      if (queue.length > max) longest = queue
      max = Math.max(max, queue.length)
    }
    if (longest) this.#length--
    return longest?.pop()
  }
}
