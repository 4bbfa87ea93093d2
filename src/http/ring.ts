/** Where an item stands in a `Ring`. */
export interface Place<Item> {
  readonly item: Item
  before: Place<Item> | undefined
  after: Place<Item> | undefined
}

/**
 * Items in the order in which they came, each of which can leave at any time. A `Set` would do, but with each item that
 * comes and goes it nears the end of its table; then it has a new one, to which the old one points. Of old ones that V8
 * has moved to its old generation, each keeps all that come after it from being collected with the young, and the items
 * in them. A place that was left points to nothing.
 */
export class Ring<Item> {
  #first: Place<Item> | undefined
  #last: Place<Item> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  add(item: Item): Place<Item> {
    const place = { item, before: this.#last, after: undefined }
    if (this.#last) this.#last.after = place
    else this.#first = place
    this.#last = place
    this.#size++
    return place
  }

  first(): Place<Item> | undefined {
    return this.#first
  }

  /** Takes an item out; one that has left already is left alone. */
  delete(place: Place<Item>): void {
    const { before, after } = place
    if (!before && this.#first !== place) return
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
    place.before = place.after = undefined
    this.#size--
  }

  /** Those that are there. One may leave while it is looked at. */
  *[Symbol.iterator](): Generator<Item, void> {
    let place = this.#first
    while (place) {
      const { item, after } = place
      yield item
      place = after
    }
  }
}
