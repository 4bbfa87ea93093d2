import { setImmediate as turnOver } from 'node:timers/promises'
import postgres from 'postgres'
import { runsInOrder, type Sql } from './sql.ts'

/** One who waits for a row. */
interface Waiting<Item, Row> {
  item: Item
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Queue<Item, Row> {
  waiting: Waiting<Item, Row>[]
  /** The turn of the event loop that brought the first of them is not over yet. */
  boarding: boolean
  /** Statements that have not come back yet. */
  flying: number
}

/** Rows of one statement at most: long enough to save round trips, short enough to stay one small write. */
const longest = 500

/** Weight of one statement at most, but for a single item: many large texts at once would take all memory and time. */
const heaviest = 1024 * 1024

/**
 * Statements of one kind at the same time. Where they run in order, the second keeps the database busy while the rows of
 * the first are given out; elsewhere ids would not follow the order of arrival.
 */
const mostOf = (sql: Sql) => (runsInOrder(sql) ? 2 : 1)

/** So many do not wait for the rest of their turn: more in one statement would hardly make it cheaper. */
const enough = 16

/**
 * Group commit (design, section 5): inserts of one kind that wait at the same time share one statement. A batch takes off
 * when there are enough of them, or when the turn of the event loop that brought its first member is over, and while it
 * is in the air the next gathers; there is no timer and no delay when idle. (All of a turn in one, callers that ask again
 * at once would come back together too, and this thread and the database would wait for each other in turn.) Each caller
 * gets its own row back, after the commit. `run` must give one row for each item, in the order of the items; `weigh`
 * gives the bytes of an item, about, where they are not few.
 *
 * Everything a caller can get wrong must be checked before. Should the database refuse a batch all the same, its
 * members are run one by one, so that nobody fails for a neighbour.
 */
export function batch<Item, Row>(
  run: (sql: Sql, items: readonly Item[]) => Promise<readonly Row[]>,
  weigh: (item: Item) => number = () => 0,
) {
  const queues = new WeakMap<Sql, Queue<Item, Row>>()

  return function join(sql: Sql, item: Item): Promise<Row> {
    const queue = queues.get(sql) ?? { waiting: [], boarding: false, flying: 0 }
    queues.set(sql, queue)
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject })
      if (queue.flying === mostOf(sql)) return
      if (queue.waiting.length >= enough) takeOff(sql, queue)
      else if (!queue.boarding) void board(sql, queue)
    })
  }

  async function board(sql: Sql, queue: Queue<Item, Row>): Promise<void> {
    queue.boarding = true
    await turnOver()
    queue.boarding = false
    takeOff(sql, queue)
  }

  function takeOff(sql: Sql, queue: Queue<Item, Row>): void {
    while (queue.waiting.length > 0 && queue.flying < mostOf(sql))
      void fly(sql, queue, queue.waiting.splice(0, fitting(queue.waiting)))
  }

  /** How many of those who wait go into one statement. */
  function fitting(waiting: readonly Waiting<Item, Row>[]): number {
    let weight = 0
    const tooMany = waiting.findIndex(({ item }, at) => {
      weight += weigh(item)
      return at === longest || (at > 0 && weight > heaviest)
    })
    return tooMany === -1 ? waiting.length : tooMany
  }

  /** The next batch takes off before these are told, so that the database need not wait for what they do then. */
  async function fly(sql: Sql, queue: Queue<Item, Row>, members: Waiting<Item, Row>[]): Promise<void> {
    queue.flying += 1
    const tell = await attempt(sql, members)
    queue.flying -= 1
    if (!queue.boarding || queue.waiting.length >= enough) takeOff(sql, queue)
    tell()
  }

  /** Runs a batch; gives what tells its members. Never throws: every failure goes to those it belongs to. */
  async function attempt(sql: Sql, members: Waiting<Item, Row>[]): Promise<() => void> {
    try {
      const items = members.map(({ item }) => item)
      const rows = await run(sql, items)
      return () => give(members, rows)
    } catch (error) {
      if (!isRefusal(error) || members.length === 1) return () => fail(members, error)
      return oneByOne(sql, members)
    }
  }

  /** Where one gets no answer the others fail with it: they would wait as long, one after the other, and newcomers behind. */
  async function oneByOne(sql: Sql, members: Waiting<Item, Row>[]): Promise<() => void> {
    for (const [at, member] of members.entries()) {
      try {
        give([member], await run(sql, [member.item]))
      } catch (error) {
        if (!isRefusal(error)) return () => fail(members.slice(at), error)
        member.reject(error)
      }
    }
    return () => {}
  }

  function fail(members: Waiting<Item, Row>[], error: unknown): void {
    for (const { reject } of members) reject(error)
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

/**
 * Whether an error says for certain that nothing was written: where a session ends or is lost, a second try may write
 * twice. Of a lost one a pooler tells as FATAL, under a code of class 08. Class 57 is the server's, of no row's making.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === 'ERROR' && !/^(08|57)/.test(error.code)
}
