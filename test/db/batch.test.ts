import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import postgres from 'postgres'
import { batch, batchCounts, batchTransactions } from '../../src/db/batch.ts'
import { beginOn } from '../../src/db/begin.ts'
import { runsInOrder, type Sql, type Tx } from '../../src/db/sql.ts'
import { openTestDatabase } from '../support/database.ts'
import { type Held, held, turns, until } from '../support/wait.ts'

const database = await openTestDatabase()
const { pool } = database
after(() => database.close())

/** A batch whose statements the test settles. */
function line() {
  const statements: { items: readonly number[]; settled: Held<readonly string[]> }[] = []
  const join = batch((_: Sql, items: readonly number[]) => {
    const settled = held<readonly string[]>()
    statements.push({ items, settled })
    return settled.promise
  })
  return { statements, join: (item: number) => join(pool, item) }
}

const rows = (items: readonly number[]) => items.map((item) => `row ${item}`)

test('items of one tick share a statement; items that arrive while it runs share the next', async () => {
  const { statements, join } = line()
  const room = runsInOrder(pool) ? 2 : 1
  const flying = Array.from({ length: room }, async (_, at) => {
    await turns(at * 3)
    return Promise.all([join(2 * at), join(2 * at + 1)])
  })
  await turns(room * 3)
  assert.deepEqual(
    statements.map(({ items }) => items),
    [[0, 1], ...(room > 1 ? [[2, 3]] : [])],
  )
  const rest = [join(4), join(5)]
  await turns()
  assert.equal(statements.length, room)
  for (const { items, settled } of statements) settled.resolve(rows(items))
  assert.deepEqual(await flying[0], ['row 0', 'row 1'])
  await turns()
  assert.deepEqual(statements.at(-1)?.items, [4, 5])
  statements.at(-1)?.settled.resolve(rows([4, 5]))
  assert.deepEqual(await Promise.all(rest), ['row 4', 'row 5'])
})

test('the next statement begins before the callers of the last one go on', async () => {
  const { statements, join } = line()
  const room = runsInOrder(pool) ? 2 : 1
  const all = Array.from({ length: 500 * (room + 1) }, (_, at) => join(at))
  await turns()
  assert.equal(statements.length, room)
  const seen: number[] = []
  const noted = all[0]?.then(() => seen.push(statements.length))
  statements[0]?.settled.resolve(rows(statements[0].items))
  await noted
  assert.deepEqual(seen, [room + 1])
  for (const { items, settled } of statements) settled.resolve(rows(items))
  await Promise.all(all)
})

test('a statement has 500 items at most, in order of arrival', async () => {
  const sizes: number[] = []
  const join = batch(async (_: Sql, items: readonly number[]) => {
    sizes.push(items.length)
    await turns(1)
    return rows(items)
  })
  const wanted = Array.from({ length: 1201 }, (_, at) => at)
  const given = await Promise.all(wanted.map((item) => join(pool, item)))
  assert.deepEqual(given, rows(wanted))
  assert.deepEqual(sizes, [500, 500, 201])
})

test('large items share a statement up to a mebibyte, and a larger one has its own', async () => {
  const kibi = 1024
  const seen: (readonly number[])[] = []
  const join = batch(
    async (_: Sql, items: readonly number[]) => {
      seen.push(items)
      await turns(1)
      return rows(items)
    },
    (item) => item * kibi,
  )
  const weights = [300, 300, 300, 300, 5000, 1024, 1, 1023]
  assert.deepEqual(await Promise.all(weights.map((item) => join(pool, item))), rows(weights))
  assert.deepEqual(seen, [[300, 300, 300], [300], [5000], [1024], [1, 1023]])
})

test('items of different connections never share a statement', async () => {
  const seen: [Sql, readonly number[]][] = []
  const join = batch(async (sql: Sql, items: readonly number[]) => {
    seen.push([sql, items])
    await turns(1)
    return rows(items)
  })
  await pool.begin(async (tx) => {
    await Promise.all([join(pool, 1), join(tx, 2), join(pool, 3), join(tx, 4)])
    assert.deepEqual(
      seen.map(([sql, items]) => [sql === tx, items]),
      [
        [false, [1, 3]],
        [true, [2, 4]],
      ],
    )
  })
})

test('a statement that the database refuses is run again one by one, and only its culprit fails', async () => {
  await pool`create table public.tried (number int primary key check (number <> 13))`
  const tries: (readonly number[])[] = []
  const join = batch(async (sql: Sql, items: readonly number[]) => {
    tries.push(items)
    return await sql<{ number: number }[]>`
      insert into public.tried select unnest(${[...items]}::int[]) returning number`
  })
  const settled = await Promise.allSettled([1, 12, 13, 14].map((item) => join(pool, item)))
  assert.deepEqual(tries, [[1, 12, 13, 14], [1], [12], [13], [14]])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const refused = settled[2]
  assert.equal(refused?.status === 'rejected' && refused.reason.code, '23514')
  const stored = await pool`select number from public.tried order by number`
  assert.deepEqual(
    stored.map(({ number }) => number),
    [1, 12, 14],
  )
})

test('after a lost connection nothing is tried again, because it may have been written', async () => {
  const { statements, join } = line()
  const all = Promise.allSettled([join(1), join(2)])
  await turns()
  statements[0]?.settled.reject(
    Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' }),
  )
  for (const each of await all)
    assert.equal(each.status === 'rejected' && each.reason.code, 'CONNECTION_CLOSED')
  await turns()
  assert.equal(statements.length, 1)
  const next = join(3)
  await turns()
  statements[1]?.settled.resolve(rows([3]))
  assert.equal(await next, 'row 3')
})

/** An error as PostgreSQL, or a pooler before it, says it. */
const saying = (severity: string, code: string) =>
  Object.assign(new postgres.PostgresError(code), { severity, code })

for (const [severity, code] of [
  ['ERROR', '57P01'],
  ['FATAL', '08P01'],
  ['FATAL', 'XX000'],
] as const) {
  test(`${severity} ${code} tells of a session that has ended: nothing is tried again`, async () => {
    let tries = 0
    const join = batch((_: Sql) => {
      tries++
      return Promise.reject(saying(severity, code))
    })
    const all = await Promise.allSettled([1, 2].map((item) => join(pool, item)))
    for (const each of all) assert.equal(each.status === 'rejected' && each.reason.code, code)
    assert.equal(tries, 1)
  })
}

test('when the database disconnects while items run one by one, the other items fail at once', async () => {
  const tries: (readonly number[])[] = []
  const join = batch(async (_: Sql, items: readonly number[]) => {
    tries.push(items)
    if (items.length > 1) throw saying('ERROR', '22P05')
    if (items[0] === 2) throw Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' })
    return rows(items)
  })
  const all = await Promise.allSettled([1, 2, 3].map((item) => join(pool, item)))
  assert.deepEqual(
    all.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
    ['row 1', 'CONNECTION_CLOSED', 'CONNECTION_CLOSED'],
  )
  assert.deepEqual(tries, [[1, 2, 3], [1], [2]])
})

test('a statement that gives too few rows fails those who got none', async () => {
  const { statements, join } = line()
  const all = Promise.allSettled([join(1), join(2)])
  await turns()
  statements[0]?.settled.resolve(rows([1]))
  const [first, second] = await all
  assert.equal(first?.status === 'fulfilled' && first.value, 'row 1')
  assert.match(String(second?.status === 'rejected' && second.reason), /1 rows for 2 items/)
})

test('a statement that throws before it is sent fails its callers and no one after them', async () => {
  let broken = true
  const join = batch((_: Sql, items: readonly number[]) => {
    if (broken) throw new Error('not sent')
    return Promise.resolve(rows(items))
  })
  await assert.rejects(join(pool, 1), /not sent/)
  broken = false
  assert.equal(await join(pool, 2), 'row 2')
})

const begin = beginOn(pool, () => new Date())

test('items of one queue share a transaction, those of another do not wait for it', async () => {
  const begun: { items: readonly string[]; settled: Held<void> }[] = []
  const join = batchTransactions(
    async (_: Tx, items: readonly string[]) => {
      const settled = held<void>()
      begun.push({ items, settled })
      await settled.promise
      return items
    },
    { weigh: () => 1, queueOf: (item) => item.charCodeAt(0), concurrency: 1 },
  )
  const seen = () => begun.map(({ items }) => items.join(' '))
  const early = [join(begin, 'a1'), join(begin, 'b1'), join(begin, 'a2')]
  await until('the first begins', () => begun.length > 0)
  const late = join(begin, 'a3')
  // The embedded database has one connection: there the other queue waits for that, and nothing else.
  if (!runsInOrder(pool)) await until('two have begun', () => begun.length === 2)
  assert.deepEqual(seen().toSorted(), runsInOrder(pool) ? ['a1 a2'] : ['a1 a2', 'b1'])
  const settle = (first: string) => begun.find(({ items }) => items[0] === first)?.settled.resolve()
  settle('a1')
  await until('two have begun', () => begun.length >= 2)
  settle('b1')
  await until('three have begun', () => begun.length === 3)
  settle('a3')
  assert.deepEqual(await Promise.all([...early, late]), ['a1', 'b1', 'a2', 'a3'])
  assert.deepEqual(seen().toSorted(), ['a1 a2', 'a3', 'b1'])
})

test('of a transaction that the database refuses only the culprit fails, and nothing of it stays', async () => {
  await pool`create table public.written (number int primary key check (number <> 13))`
  const join = batchTransactions(
    async (tx: Tx, items: readonly number[]) => {
      await tx`insert into public.written select -unnest(${[...items]}::int[])`
      await tx`insert into public.written select unnest(${[...items]}::int[])`
      return items
    },
    { weigh: () => 1, queueOf: () => undefined, concurrency: 1 },
  )
  const settled = await Promise.allSettled([12, 13, 14].map((item) => join(begin, item)))
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const stored = await pool<{ number: number }[]>`select number from public.written order by number`
  assert.deepEqual(
    stored.map(({ number }) => number),
    [-14, -12, 12, 14],
  )
})

test('look-ups that share a statement are no group commit to count', async () => {
  const pool = {} as Sql
  const written = batch(async (_: Sql, items: readonly number[]) => items)
  const read = batch(async (_: Sql, items: readonly number[]) => items, undefined, true)
  const before = { ...batchCounts }
  await Promise.all([1, 2, 3].map((item) => read(pool, item)))
  assert.deepEqual({ ...batchCounts }, before)
  await Promise.all([1, 2, 3].map((item) => written(pool, item)))
  assert.ok(batchCounts.rows === before.rows + 3 && batchCounts.batches > before.batches)
})
