import postgres from 'postgres'
import { GroupCommit, type RunBatch, type Waiter } from './group-commit.ts'
import { type Begin, runsInOrder, type Sql, type Tx } from './sql.ts'

/** Rows and batches that this process has written, for `src/metrics`. */
export const batchCounts = { rows: 0, batches: 0 }

/**
 * Group commit (`docs/decisions/06-group-commit.md`): inserts of one kind that wait at the same time share one
 * statement. A batch starts when the event-loop tick in which its first item arrived is over; the next batch gathers
 * meanwhile. There is no timer and no delay when idle. Each caller gets its own row, after the commit. `run` must return
 * one row for each item, in the order of the items; `weigh` returns the approximate size of an item in bytes, where items
 * may be large. `isRead`: `run` writes nothing, so that its batches are not counted.
 *
 * Callers must validate items beforehand. If the database rejects a batch all the same, its items are inserted one by
 * one, so that no caller fails because of another's item.
 */
export function batch<Item, Row>(
  run: (sql: Sql, items: readonly Item[]) => Promise<readonly Row[]>,
  weigh: (item: Item) => number = () => 0,
  isRead = false,
): (sql: Sql, item: Item) => Promise<Row> {
  const groups = new WeakMap<Sql, GroupCommit<Item, Row>>()
  return (sql, item) => {
    const group = groups.get(sql) ?? newGroup(sql)
    groups.set(sql, group)
    return group.add(item)
  }

  /**
   * Where statements run in order, a second one keeps the database busy while the rows of the first are returned;
   * elsewhere a second one would give ids out of arrival order.
   */
  function newGroup(sql: Sql): GroupCommit<Item, Row> {
    return new GroupCommit(
      runTogether((items) => run(sql, items), isRead),
      weigh,
      runsInOrder(sql) ? 2 : 1,
    )
  }
}

/** An item, and the id of the request that it comes from. */
interface RequestItem<Item> {
  item: Item
  requestId: string | undefined
}

interface TransactionOptions<Item> {
  weigh: (item: Item) => number
  /** Items with the same value may share a transaction. */
  queueOf: (item: Item) => number | undefined
  /** Maximum number of concurrent transactions of one queue. */
  concurrency: number
}

/**
 * Group commit for work of several statements: items that wait at the same time share one transaction, and with it its
 * round trips, its commit, and the wait for a row that all of them lock. Only items of one queue share one, so that
 * nobody waits for a row that concerns others. An error that `work` itself throws fails all items of the transaction.
 */
export function batchTransactions<Item, Row>(
  work: (tx: Tx, items: readonly Item[]) => Promise<readonly Row[]>,
  { weigh, queueOf, concurrency }: TransactionOptions<Item>,
): (begin: Begin, item: Item) => Promise<Row> {
  type Group = GroupCommit<RequestItem<Item>, Row>
  const groupsOf = new WeakMap<Begin, Map<number | undefined, Group>>()
  return async (beginOfRequest, item) => {
    const { id: requestId, begin } = beginOfRequest.request ?? { id: undefined, begin: beginOfRequest }
    const groups = groupsOf.get(begin) ?? new Map<number | undefined, Group>()
    groupsOf.set(begin, groups)
    const queue = queueOf(item)
    const run = runTogether<RequestItem<Item>, Row>((requests) => {
      const items = requests.map((each) => each.item)
      // A transaction of several requests has the id of none.
      return begin((tx) => work(tx, items), requests.length === 1 ? requests[0]?.requestId : undefined)
    })
    const group = groups.get(queue) ?? new GroupCommit(run, (request) => weigh(request.item), concurrency)
    groups.set(queue, group)
    try {
      return await group.add({ item, requestId })
    } finally {
      // The number of queues is unbounded: there is one for each repository.
      if (group.isIdle && groups.get(queue) === group) groups.delete(queue)
    }
  }
}

function count(rows: number): void {
  batchCounts.batches++
  batchCounts.rows += rows
}

/** Runs the items of a batch together or, if the database rejects the batch, one by one. */
function runTogether<Item, Row>(
  run: (items: readonly Item[]) => Promise<readonly Row[]>,
  isRead = false,
): RunBatch<Item, Row> {
  type Waiters = readonly Waiter<Item, Row>[]

  async function together(waiters: Waiters): Promise<() => void> {
    try {
      if (!isRead) count(waiters.length)
      const rows = await run(waiters.map(({ item }) => item))
      return () => resolveAll(waiters, rows)
    } catch (error) {
      if (!isRejection(error) || waiters.length === 1) return () => fail(waiters, error)
      return oneByOne(waiters)
    }
  }

  /** If the database does not answer one item, the others fail with it: each of them would wait as long. */
  async function oneByOne(waiters: Waiters): Promise<() => void> {
    for (const [at, waiter] of waiters.entries()) {
      try {
        resolveAll([waiter], await run([waiter.item]))
      } catch (error) {
        if (!isRejection(error)) return () => fail(waiters.slice(at), error)
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

  return together
}

/**
 * Whether an error proves that nothing was written. If the session ended or was lost, a retry could write twice: a pooler
 * reports a lost session as FATAL with a code of class 08. The server, not a row, causes errors of class 57.
 */
function isRejection(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === 'ERROR' && !/^(08|57)/.test(error.code)
}
