import { setImmediate as nextImmediate } from 'node:timers/promises'
import postgres from 'postgres'
import { runsInOrder, type Sql } from './sql.ts'

/** A caller that waits for its row. */
interface Waiter<Item, Row> {
  item: Item
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Queue<Item, Row> {
  waiting: Waiter<Item, Row>[]
  /** Whether the event-loop tick in which the first waiting item arrived is not over yet. */
  gathering: boolean
  /** Number of statements in progress. */
  inFlight: number
}

/** Maximum rows of one statement: enough to save round trips, few enough for one small write. */
const maxItems = 500

/** Maximum weight of one statement of several items: many large texts at once would take all memory and time. */
const maxWeight = 1024 * 1024

/**
 * Maximum number of concurrent statements of one kind. Where they run in order, a second one keeps the database busy
 * while the rows of the first are returned; elsewhere a second one would give ids out of arrival order.
 */
const maxConcurrent = (sql: Sql) => (runsInOrder(sql) ? 2 : 1)

/** This many items are flushed before the end of the tick: more in one statement would hardly make it cheaper. */
const flushThreshold = 16

/**
 * Group commit (design, section 5): inserts of one kind that wait at the same time share one statement. A batch is
 * flushed when it reaches the threshold or when the event-loop tick in which its first item arrived is over; the next
 * batch gathers while it is in flight. There is no timer and no delay when idle. (If all items of a tick went into one
 * batch, callers that repeat immediately would also return together, and this thread and the database would alternately
 * wait for each other.) Each caller gets its own row, after the commit. `run` must return one row for each item, in the
 * order of the items; `weigh` returns the approximate size of an item in bytes, where items may be large.
 *
 * Callers must validate items beforehand. If the database rejects a batch all the same, its items are inserted one by
 * one, so that no caller fails because of another's item.
 */
export function batch<Item, Row>(
  run: (sql: Sql, items: readonly Item[]) => Promise<readonly Row[]>,
  weigh: (item: Item) => number = () => 0,
) {
  const queues = new WeakMap<Sql, Queue<Item, Row>>()

  return function join(sql: Sql, item: Item): Promise<Row> {
    const queue = queues.get(sql) ?? { waiting: [], gathering: false, inFlight: 0 }
    queues.set(sql, queue)
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject })
      if (queue.inFlight === maxConcurrent(sql)) return
      if (queue.waiting.length >= flushThreshold) flush(sql, queue)
      else if (!queue.gathering) void flushAfterTick(sql, queue)
    })
  }

  async function flushAfterTick(sql: Sql, queue: Queue<Item, Row>): Promise<void> {
    queue.gathering = true
    await nextImmediate()
    queue.gathering = false
    flush(sql, queue)
  }

  function flush(sql: Sql, queue: Queue<Item, Row>): void {
    while (queue.waiting.length > 0 && queue.inFlight < maxConcurrent(sql))
      void runBatch(sql, queue, queue.waiting.splice(0, countForOneStatement(queue.waiting)))
  }

  /** The number of waiting items that fit into one statement. */
  function countForOneStatement(waiting: readonly Waiter<Item, Row>[]): number {
    let weight = 0
    const tooMany = waiting.findIndex(({ item }, at) => {
      weight += weigh(item)
      return at === maxItems || (at > 0 && weight > maxWeight)
    })
    return tooMany === -1 ? waiting.length : tooMany
  }

  /**
   * Flushes the next batch before it delivers the results, so that the database does not wait for the callers' code.
   */
  async function runBatch(sql: Sql, queue: Queue<Item, Row>, waiters: Waiter<Item, Row>[]): Promise<void> {
    queue.inFlight += 1
    const deliver = await attempt(sql, waiters)
    queue.inFlight -= 1
    if (!queue.gathering || queue.waiting.length >= flushThreshold) flush(sql, queue)
    deliver()
  }

  /** Runs a batch; returns a function that delivers the results. Never throws: errors go to the waiters concerned. */
  async function attempt(sql: Sql, waiters: Waiter<Item, Row>[]): Promise<() => void> {
    try {
      const items = waiters.map(({ item }) => item)
      const rows = await run(sql, items)
      return () => resolveAll(waiters, rows)
    } catch (error) {
      if (!isRefusal(error) || waiters.length === 1) return () => fail(waiters, error)
      return oneByOne(sql, waiters)
    }
  }

  /** If one gets no answer from the database, the rest fail with it: otherwise each would wait as long, one by one. */
  async function oneByOne(sql: Sql, waiters: Waiter<Item, Row>[]): Promise<() => void> {
    for (const [at, waiter] of waiters.entries()) {
      try {
        resolveAll([waiter], await run(sql, [waiter.item]))
      } catch (error) {
        if (!isRefusal(error)) return () => fail(waiters.slice(at), error)
        waiter.reject(error)
      }
    }
    return () => {}
  }

  function fail(waiters: Waiter<Item, Row>[], error: unknown): void {
    for (const { reject } of waiters) reject(error)
  }

  function resolveAll(waiters: Waiter<Item, Row>[], rows: readonly Row[]): void {
    waiters.forEach(({ resolve, reject }, at) => {
      const row = rows[at]
      if (row === undefined)
        reject(new Error(`The batch returned ${rows.length} rows for ${waiters.length} items`))
      else resolve(row)
    })
  }
}

/**
 * Whether an error proves that nothing was written; if a session ended or was lost, a retry could write twice. A pooler
 * reports a lost session as FATAL with a code of class 08. Class 57 is caused by the server, not by a row.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === 'ERROR' && !/^(08|57)/.test(error.code)
}
