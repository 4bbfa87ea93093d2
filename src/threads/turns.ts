/** Who brought something: an id, or a word. */
export type Owner = number | string

/** Things that wait, taken in turns of those who brought them, so that nobody waits for all that another has brought. */
export class Turns<Item> {
  /** What each has brought, in order. Whoever was served goes to the end. */
  readonly #lines = new Map<Owner, Item[]>()
  #length = 0

  /** Things that wait. */
  get length(): number {
    return this.#length
  }

  add(owner: Owner, item: Item): void {
    const line = this.#lines.get(owner)
    if (line) line.push(item)
    else this.#lines.set(owner, [item])
    this.#length++
  }

  /** Takes the one that has waited longest, of whoever was served the longest ago among the owners that may be served. */
  next(mayBeServed: (owner: Owner) => boolean = () => true): Item | undefined {
    for (const [owner, line] of this.#lines) {
      if (!mayBeServed(owner)) continue
      this.#lines.delete(owner)
      const item = line.shift()
      if (line.length > 0) this.#lines.set(owner, line)
      this.#length--
      return item
    }
    return undefined
  }

  /** Takes out one item; false where it does not wait any more. */
  remove(owner: Owner, item: Item): boolean {
    const line = this.#lines.get(owner)
    const at = line?.indexOf(item) ?? -1
    if (!line || at < 0) return false
    line.splice(at, 1)
    if (line.length === 0) this.#lines.delete(owner)
    this.#length--
    return true
  }

  /** Takes the newest of whoever has most, if that is more than `owner` would have with one more. */
  displace(owner: Owner): Item | undefined {
    let most = 1 + (this.#lines.get(owner)?.length ?? 0)
    let longest: Item[] | undefined
    for (const line of this.#lines.values()) {
      if (line.length > most) longest = line
      most = Math.max(most, line.length)
    }
    if (longest) this.#length--
    return longest?.pop()
  }
}
