import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { beginOn } from '../../src/db/begin.ts'
import { stoppedClock } from '../support/clock.ts'
import { onServer, openTestDatabase } from '../support/database.ts'
import { held, longest } from '../support/wait.ts'

const database = await openTestDatabase()
const { pool } = database
after(() => database.close())

const clock = stoppedClock()
const begin = beginOn(pool, clock.now)

await pool`create table public.account (name text primary key, amount int not null)`
await pool`insert into public.account values ('a', 0), ('b', 0)`

async function amounts() {
  const rows = await pool<{ amount: number }[]>`select amount from public.account order by name`
  return rows.map(({ amount }) => amount)
}

async function reset() {
  await pool`update public.account set amount = 0`
}

test('what is written together is written', async () => {
  const result = await begin(async (tx) => {
    await tx`update public.account set amount = 1 where name = 'a'`
    await tx`update public.account set amount = 2 where name = 'b'`
    return 'written'
  })
  assert.equal(result, 'written')
  assert.deepEqual(await amounts(), [1, 2])
  await reset()
})

test('what fails half-way leaves nothing behind, and is tried once', async () => {
  let tries = 0
  await assert.rejects(
    begin(async (tx) => {
      tries++
      await tx`update public.account set amount = 1`
      throw new Error('half-way')
    }),
    /half-way/,
  )
  assert.equal(tries, 1)
  assert.deepEqual(await amounts(), [0, 0])
})

test('a refusal is not tried again', async () => {
  let tries = 0
  const work = begin(async (tx) => {
    tries++
    await tx`insert into public.account values ('a', 1)`
  })
  await assert.rejects(work, { code: '23505' })
  assert.equal(tries, 1)
})

test('a promise in a returned array is not flattened', async () => {
  const result = await begin(async () => [Promise.resolve(1), Promise.resolve(2)])
  assert.ok(result[0] instanceof Promise)
  assert.deepEqual(await Promise.all(result), [1, 2])
})

test('now is one moment for all that is written, and a new one for another attempt', async () => {
  const moments: string[] = []
  await begin(async (tx) => {
    moments.push(tx.now.toISOString())
    clock.tick(10)
    moments.push(tx.now.toISOString())
    if (moments.length === 2) await tx`do $$ begin raise sqlstate '40001'; end $$`
  })
  assert.deepEqual(moments, [
    '2026-01-31T08:00:00.000Z',
    '2026-01-31T08:00:00.000Z',
    '2026-01-31T08:00:00.010Z',
    '2026-01-31T08:00:00.010Z',
  ])
})

test('who never gets through is told so after five attempts', async () => {
  let tries = 0
  const work = begin(async (tx) => {
    tries++
    await tx`do $$ begin raise sqlstate '40P01'; end $$`
  })
  await assert.rejects(work, { code: '40P01' })
  assert.equal(tries, 5)
})

test('two who wait for each other both succeed', { skip: !onServer && 'one session' }, async () => {
  const locked = { a: held<void>(), b: held<void>() }
  let tries = 0
  const transfer = (mine: 'a' | 'b', theirs: 'a' | 'b') =>
    begin(async (tx) => {
      tries++
      await tx`set local deadlock_timeout = '10ms'`.catch(() => {})
      await tx`update public.account set amount = amount - 1 where name = ${mine}`
      locked[mine].resolve()
      await locked[theirs].promise
      await tx`update public.account set amount = amount + 1 where name = ${theirs}`
    })
  await Promise.all([transfer('a', 'b'), transfer('b', 'a')])
  assert.ok(tries > 2, 'there was a deadlock')
  assert.deepEqual(await amounts(), [0, 0])
})

test('of two serializable transactions that contradict, both succeed, one after the other', {
  skip: !onServer && 'one session',
}, async () => {
  await reset()
  const read = { a: held<void>(), b: held<void>() }
  let tries = 0
  // Each sets its own amount to one more than the other's: in any order of the two, one ends at 1 and one at 2.
  const follow = (mine: 'a' | 'b', theirs: 'a' | 'b') =>
    begin(async (tx) => {
      tries++
      await tx`set transaction isolation level serializable`
      const [row] = await tx<[{ amount: number }]>`select amount from public.account where name = ${theirs}`
      read[mine].resolve()
      await read[theirs].promise
      await tx`update public.account set amount = ${row.amount + 1} where name = ${mine}`
    })
  await Promise.all([follow('a', 'b'), follow('b', 'a')])
  assert.ok(tries > 2, 'one had to come again')
  assert.deepEqual((await amounts()).toSorted(), [1, 2])
})

test('large texts in many transactions at once leave each of them whole', { timeout: longest }, async () => {
  await pool`create table public.text_kept (writer int not null, step int not null, body text not null)`
  const body = 'x'.repeat(300_000)
  const rejected = new Error('half-way')
  const write = (writer: number) =>
    begin(async (tx) => {
      for (const step of [1, 2, 3]) {
        await tx`insert into public.text_kept values (${writer}, ${step}, ${body})`
        // Here the stream tells that it has room again.
        await setImmediate()
      }
      if (writer % 2) throw rejected
    }).catch((error: unknown) => assert.equal(error, rejected))
  const writers = Array.from({ length: 6 }, (_, writer) => write(writer))
  const readers = Array.from({ length: 6 }, () => pool`select ${body}::text`)
  await Promise.all([...writers, ...readers])
  const rows = await pool<{ writer: number; steps: number }[]>`
    select writer, count(*) as steps from public.text_kept group by writer order by writer`
  const whole = Array.from({ length: 3 }, (_, half) => ({ writer: 2 * half, steps: 3 }))
  assert.deepEqual([...rows], whole)
})

test('a transaction is one, however full its connection was when it began', {
  timeout: longest,
}, async () => {
  const narrow = await openTestDatabase(1)
  after(() => narrow.close())
  const beginNarrow = beginOn(narrow.pool, clock.now)
  const inTransaction = () =>
    beginNarrow(async (tx) => {
      const [row] = await tx<[{ first: string }]>`select pg_current_xact_id()::text as first`
      const [again] = await tx<[{ second: string }]>`select pg_current_xact_id()::text as second`
      return row.first === again.second
    })
  await narrow.pool`select 1`
  // As many as postgres.js sends ahead, and `begin` behind them.
  const pipelined = Array.from({ length: 100 }, () => narrow.pool`select 1`.execute())
  assert.equal(await inTransaction(), true)
  await Promise.all(pipelined)
  // A text of which the stream still holds some when its answer comes.
  const large = narrow.pool`select ${'x'.repeat(1_000_000)}::text`.execute()
  assert.equal(await inTransaction(), true)
  await large
})
