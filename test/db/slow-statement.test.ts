import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginFor, beginOn } from '../../src/db/begin.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { SlowStatement } from '../../src/db/slow-statements.ts'
import { openHome } from '../support/binary.ts'
import { openTestDatabase } from '../support/database.ts'

const reported: SlowStatement[] = []
/** One connection, so that statements wait for each other on both databases. */
const database = await openTestDatabase(1, { milliseconds: 300, report: (slow) => reported.push(slow) })
const { pool } = database
after(() => database.close())

/** What is reported of `work`. */
async function reportedOf(work: () => Promise<unknown>): Promise<SlowStatement[]> {
  const before = reported.length
  await work()
  return reported.slice(before)
}

test('a slow statement is reported once, in one line without the values of its parameters', async () => {
  const [slow, ...others] = await reportedOf(
    () => pool`
      select pg_sleep(${0.6}::float8),
        ${'a secret'}::text`,
  )
  assert.deepEqual(others, [])
  assert.equal(slow?.statement, 'select pg_sleep($1::float8), $2::text')
  assert.ok((slow?.ms ?? 0) >= 590, `${slow?.ms} ms`)
  assert.equal(slow?.requestId, undefined)
})

test('the wait for a connection counts', async () => {
  const waiting = await reportedOf(() => Promise.all([pool`select pg_sleep(0.6)`, pool`select 1 as a`]))
  assert.deepEqual(waiting.map(({ statement }) => statement).sort(), [
    'select 1 as a',
    'select pg_sleep(0.6)',
  ])
})

test('a statement that is a part of another one is not sent by itself', async () => {
  const part = pool`, pg_sleep(${0.6}::float8)`
  const slow = await reportedOf(() => pool`select 1 ${part}`)
  assert.deepEqual(
    slow.map(({ statement }) => statement),
    ['select 1 , pg_sleep($1::float8)'],
  )
})

test('a slow statement that fails is reported too, with the request whose transaction it belongs to', async () => {
  const begin = beginFor(
    'request-1',
    beginOn(pool, () => new Date()),
  )
  const slow = await reportedOf(() =>
    assert.rejects(
      begin(async (tx) => {
        assert.equal(tx.requestId, 'request-1')
        await tx`select 1`
        await tx.nested((inner) => inner`select 1 / (1 - length(pg_sleep(0.6)::text || 'x'))`)
      }),
      { code: '22012' },
    ),
  )
  assert.deepEqual(
    slow.map(({ requestId }) => requestId),
    ['request-1'],
  )
})

test('a long text is cut', async () => {
  const [slow] = await reportedOf(() => pool.unsafe(`select pg_sleep(0.6), '${'x'.repeat(1000)}'`))
  assert.equal(slow?.statement.length, 500)
  assert.match(slow?.statement ?? '', /^select pg_sleep\(0\.6\), 'x+…$/)
})

test('migrations may take their time: nothing without a timeout is reported, on either database', async () => {
  const { environment, dataDir } = await openHome()
  const slow: SlowStatement[] = []
  const opened = await openDatabase({
    url: environment.DATABASE_URL,
    dataDir,
    poolSize: 1,
    slow: { milliseconds: 0, report: (each) => slow.push(each) },
  })
  await opened.withoutTimeout((patient) => patient`select 1 as migrated`)
  await opened.pool`select 2 as asked`
  await opened.close(2)
  assert.deepEqual(
    slow.map(({ statement }) => statement),
    ['select 2 as asked'],
  )
})
