/** A caller that waits for its row. */
export interface Waiter<Item, Row> {
  readonly item: Item
  readonly resolve: (row: Row) => void
  readonly reject: (error: unknown) => void
}

/** Runs a batch; returns the function that delivers its results or errors to the waiters. Never rejects. */
export type RunBatch<Item, Row> = (waiters: readonly Waiter<Item, Row>[]) => Promise<() => void>

/** Maximum items of a batch: enough to save round trips, few enough for one small write. */
const maxItems = 500

/** Maximum weight of a batch of several items: many large texts at once would take all memory and time. */
const maxWeight = 1024 * 1024

/** Gathers items that wait at the same time into batches (`batch.ts`), of which `concurrency` run at a time. */
export class GroupCommit<Item, Row> {
  readonly #waiting: Waiter<Item, Row>[] = []
  #inFlight = 0

  constructor(
    readonly run: RunBatch<Item, Row>,
    readonly weigh: (item: Item) => number,
    readonly concurrency: number,
  ) {}

  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0
  }

  /** Resolves with the row of the item. */
  add(item: Item): Promise<Row> {
    return new Promise((resolve, reject) => {
      // The first item waits for the end of the tick, so that others can join it.
      if (this.#waiting.push({ item, resolve, reject }) === 1) setImmediate(() => this.#flush())
    })
  }

  /** When a batch ends, the next one starts before its results are delivered: the database does not wait for callers. */
  #flush(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.concurrency) {
      this.#inFlight++
      void this.run(this.#waiting.splice(0, this.#countThatFits())).then((deliver) => {
        this.#inFlight--
        this.#flush()
        deliver()
      })
    }
  }

  #countThatFits(): number {
    let weight = 0
    const end = this.#waiting.findIndex(({ item }, at) => {
      weight += this.weigh(item)
      return at === maxItems || (at > 0 && weight > maxWeight)
    })
    return end === -1 ? this.#waiting.length : end
  }
}
