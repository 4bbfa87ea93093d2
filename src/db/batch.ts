import { setImmediate as turnOver } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql } from './sql.ts'

/** One who waits for a row. */
interface Waiting<Item, Row> {
  item: Item
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Queue<Item, Row> {
  waiting: Waiting<Item, Row>[]
  flying: boolean
}

/** Rows of one statement at most: long enough to save round trips, short enough to stay one small write. */
const most = 500

/**
 * Group commit (design, section 5): inserts of one kind that wait at the same time share one statement. A batch takes off
 * when the turn of the event loop that brought its first member is over, and while it is in the air the next gathers;
 * there is no timer and no delay when idle. Each caller gets its own row back, after the commit. `run` must give one row
 * for each item, in the order of the items.
 *
 * Everything a caller can get wrong must be checked before. Should the database refuse a batch all the same, its
 * members are run one by one, so that nobody fails for a neighbour.
 */
export function batch<Item, Row>(run: (sql: Sql, items: readonly Item[]) => Promise<readonly Row[]>) {
  const queues = new WeakMap<Sql, Queue<Item, Row>>()

  return function join(sql: Sql, item: Item): Promise<Row> {
    const queue = queues.get(sql) ?? { waiting: [], flying: false }
    queues.set(sql, queue)
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject })
      if (!queue.flying) void fly(sql, queue)
    })
  }

  async function fly(sql: Sql, queue: Queue<Item, Row>): Promise<void> {
    queue.flying = true
    while (queue.waiting.length > 0) {
      await turnOver()
      await settle(sql, queue.waiting.splice(0, most))
    }
    queue.flying = false
  }

  /** Never throws: every failure goes to those it belongs to. */
  async function settle(sql: Sql, members: Waiting<Item, Row>[]): Promise<void> {
    try {
      const items = members.map(({ item }) => item)
      give(members, await run(sql, items))
    } catch (error) {
      // Only a refusal says for certain that nothing was written; after a lost connection a second try may write twice.
      const refused = error instanceof postgres.PostgresError && !error.code.startsWith('57')
      if (refused && members.length > 1) for (const member of members) await settle(sql, [member])
      else for (const { reject } of members) reject(error)
    }
  }

  function give(members: Waiting<Item, Row>[], rows: readonly Row[]): void {
    members.forEach(({ resolve, reject }, at) => {
      const row = rows[at]
      if (row === undefined)
        reject(new Error(`The batch gave ${rows.length} rows for ${members.length} items`))
      else resolve(row)
    })
  }
}
