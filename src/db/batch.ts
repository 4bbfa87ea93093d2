import { setImmediate as nextImmediate } from 'node:timers/promises'
import postgres from 'postgres'
import { type Begin, runsInOrder, type Sql, type Tx } from './sql.ts'

/** A caller that waits for its row. */
interface Waiter<Item, Row> {
  item: Item
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Queue<On, Item, Row> {
  on: On
  waiting: Waiter<Item, Row>[]
  /** Whether the event-loop tick in which the first waiting item arrived is not over yet. */
  gathering: boolean
  /** Number of statements or transactions in progress. */
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
): (sql: Sql, item: Item) => Promise<Row> {
  return groupCommit({ run, weigh, concurrency: maxConcurrent, queueOf: () => undefined })
}

/**
 * The same for work of several statements: items that wait at the same time share one transaction, and with it its round
 * trips, its commit, and the wait for a row that all of them lock. Only items for which `queueOf` returns the same value
 * share one, so that nobody waits for a row that concerns others; each queue runs `concurrency` transactions at a time.
 * An error that `work` itself throws fails all items of the transaction.
 */
export function batchTransactions<Item, Row>(
  work: (tx: Tx, items: readonly Item[]) => Promise<readonly Row[]>,
  { weigh, queueOf, concurrency }: TransactionOptions<Item>,
): (begin: Begin, item: Item) => Promise<Row> {
  const run = (begin: Begin, items: readonly Item[]) => begin((tx) => work(tx, items))
  return groupCommit({ run, weigh, queueOf, concurrency: () => concurrency })
}

interface TransactionOptions<Item> {
  weigh: (item: Item) => number
  queueOf: (item: Item) => number | undefined
  concurrency: number
}

interface GroupCommit<On, Item, Row> {
  run: (on: On, items: readonly Item[]) => Promise<readonly Row[]>
  weigh: (item: Item) => number
  /** Maximum number of concurrent statements or transactions of one queue. */
  concurrency: (on: On) => number
  queueOf: (item: Item) => number | undefined
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
function groupCommit<On extends object, Item, Row>({
  run,
  weigh,
  concurrency,
  queueOf,
}: GroupCommit<On, Item, Row>): (on: On, item: Item) => Promise<Row> {
  type Waiters = Waiter<Item, Row>[]
  const all = new WeakMap<On, Map<number | undefined, Queue<On, Item, Row>>>()

  return function join(on, item) {
    const queue = queueFor(on, queueOf(item))
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject })
      if (queue.inFlight === concurrency(on)) return
      if (queue.waiting.length >= flushThreshold) flush(queue)
      else if (!queue.gathering) void flushAfterTick(queue)
    })
  }

  function queueFor(on: On, key: number | undefined): Queue<On, Item, Row> {
    const queues = all.get(on) ?? new Map<number | undefined, Queue<On, Item, Row>>()
    all.set(on, queues)
    const queue = queues.get(key) ?? { on, waiting: [], gathering: false, inFlight: 0 }
    queues.set(key, queue)
    return queue
  }

  async function flushAfterTick(queue: Queue<On, Item, Row>): Promise<void> {
    queue.gathering = true
    await nextImmediate()
    queue.gathering = false
    flush(queue)
  }

  function flush(queue: Queue<On, Item, Row>): void {
    while (queue.waiting.length > 0 && queue.inFlight < concurrency(queue.on))
      void runBatch(queue, queue.waiting.splice(0, countForOneStatement(queue.waiting)))
  }

  /** The number of waiting items that fit into one statement. */
  function countForOneStatement(waiting: Readonly<Waiters>): number {
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
  async function runBatch(queue: Queue<On, Item, Row>, waiters: Waiters): Promise<void> {
    queue.inFlight += 1
    const deliver = await attempt(queue.on, waiters)
    queue.inFlight -= 1
    if (!queue.gathering || queue.waiting.length >= flushThreshold) flush(queue)
    forgetIdle(queue, waiters)
    deliver()
  }

  /** The number of queues is unbounded: there is one for each repository. */
  function forgetIdle(queue: Queue<On, Item, Row>, [waiter]: Waiters): void {
    const isIdle = queue.inFlight === 0 && queue.waiting.length === 0
    if (isIdle && waiter) all.get(queue.on)?.delete(queueOf(waiter.item))
  }

  /** Runs a batch; returns a function that delivers the results. Never throws: errors go to the waiters concerned. */
  async function attempt(on: On, waiters: Waiters): Promise<() => void> {
    try {
      const items = waiters.map(({ item }) => item)
      const rows = await run(on, items)
      return () => resolveAll(waiters, rows)
    } catch (error) {
      if (!isRefusal(error) || waiters.length === 1) return () => fail(waiters, error)
      return oneByOne(on, waiters)
    }
  }

  /** If one gets no answer from the database, the rest fail with it: otherwise each would wait as long, one by one. */
  async function oneByOne(on: On, waiters: Waiters): Promise<() => void> {
    for (const [at, waiter] of waiters.entries()) {
      try {
        resolveAll([waiter], await run(on, [waiter.item]))
      } catch (error) {
        if (!isRefusal(error)) return () => fail(waiters.slice(at), error)
        waiter.reject(error)
      }
    }
    return () => {}
  }

  function fail(waiters: Waiters, error: unknown): void {
    for (const { reject } of waiters) reject(error)
  }

  function resolveAll(waiters: Waiters, rows: readonly Row[]): void {
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
