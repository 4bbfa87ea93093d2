import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { isoText, openPool } from '../../src/db/open.ts'
import { onServer, openTestDatabase } from '../support/database.ts'
import { longest, turns } from '../support/wait.ts'

const database = await openTestDatabase()
const { pool } = database
after(() => database.close())

for (const [stored, printed] of [
  ['2026-01-31 08:00:00+00', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31 08:00:00.1+00', '2026-01-31T08:00:00.100Z'],
  ['2026-01-31 08:00:00.12+00', '2026-01-31T08:00:00.120Z'],
  ['2026-01-31 08:00:00.123+00', '2026-01-31T08:00:00.123Z'],
  ['2026-01-31 08:00:00.123456+00', '2026-01-31T08:00:00.123Z'],
  ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
] as const) {
  test(`isoText prints ${stored} as ${printed}`, () => {
    assert.equal(isoText(stored), printed)
  })
}

for (const other of [
  'infinity',
  '-infinity',
  '0044-03-15 12:00:00+00 BC',
  '10000-01-01 00:00:00+00',
  '2026-01-31',
]) {
  test(`isoText leaves ${other} as it is, which no reply declares`, () => {
    assert.equal(isoText(other), other)
  })
}

test('times are read as they were written, in milliseconds and UTC, and sort as text', async () => {
  const moments = [0, 1, 999, 1000, 951_782_400_000, 1_769_846_400_123, 253_402_300_799_999]
  for (const moment of moments) {
    const [row] = await pool<[{ moment: string }]>`select ${new Date(moment)}::timestamptz(3) as moment`
    assert.equal(row.moment, new Date(moment).toISOString())
  }
  const texts = moments.map((moment) => new Date(moment).toISOString())
  assert.deepEqual(texts.toSorted(), texts)
})

test('a time may be a text', async () => {
  const [row] = await pool<[{ moment: string }]>`
    select ${'2026-01-31T08:00:00.123Z'}::timestamptz as moment`
  assert.equal(row.moment, '2026-01-31T08:00:00.123Z')
})

test('no statement is compiled to machine code, whatever it is expected to cost', async () => {
  const [row] = await pool<[{ jit: string }]>`select current_setting('jit') as jit`
  assert.equal(row.jit, 'off')
})

test('bigint is read as a number', async () => {
  const [row] = await pool<[{ count: number; most: number; none: number | null }]>`
    select count(*) as count, ${Number.MAX_SAFE_INTEGER}::bigint as most, null::bigint as none`
  assert.deepEqual(row, { count: 1, most: Number.MAX_SAFE_INTEGER, none: null })
})

test('arrays, NULs apart, carry every text', async () => {
  const texts = ['', ' ', 'NULL', '{}', '"', '\\', ',', '𝄞', 'a\nb', '{"a",b}']
  const [row] = await pool<[{ texts: string[] }]>`select ${texts}::text[] as texts`
  assert.deepEqual(row.texts, texts)
})

test('arrays carry numbers, times and NULL', async () => {
  const [id, moment] = ['6f1cd9b1-8f1e-4b52-a6cf-ae0a1a5b4a4e', '2026-01-31T08:00:00.123Z']
  const [row] = await pool`
    select ${[1, null, -3]}::bigint[] as bigints, ${[0.5, null]}::float8[] as floats,
      ${[moment, null]}::timestamptz[] as moments, ${[id]}::uuid[] as uuids, ${['NULL', null]}::text[] as texts,
      ${[]}::int[] as integers`
  assert.deepEqual(
    { ...row },
    {
      bigints: [1, null, -3],
      floats: [0.5, null],
      moments: [moment, null],
      uuids: [id],
      texts: ['NULL', null],
      integers: [],
    },
  )
  const holes = new Array<string>(1)
  await assert.rejects(pool`select ${holes}::text[]`, TypeError)
})

test('a connection to the embedded database waits for its start, however long that takes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const starting = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const waiting = openPool({ connect: () => starting, poolSize: 1 })
  let outcome = 'waits'
  const asked = waiting`select 1`.catch((error) => {
    outcome = error.code
  })
  // The first timer is the one after which it connects.
  for (const milliseconds of [1, 3_600_000]) {
    await turns()
    t.mock.timers.tick(milliseconds)
  }
  await turns()
  assert.equal(outcome, 'waits')
  starting.destroy(Object.assign(new Error('It cannot start'), { code: 'ECONNREFUSED' }))
  await asked
  assert.equal(outcome, 'ECONNREFUSED')
  t.mock.timers.reset()
  await waiting.end({ timeout: 1 })
})

test('a statement that cannot be written fails alone', { timeout: longest }, async () => {
  const narrow = await openTestDatabase(1)
  after(() => narrow.close())
  const number = (value: number) => narrow.pool<{ value: number }[]>`select ${value}::int as value`
  const moment = (value: Date) => narrow.pool<{ value: string }[]>`select ${value}::timestamptz(3) as value`
  await Promise.all([number(0), moment(new Date(0))])
  const never = new Date(Number.NaN)
  const all = await Promise.allSettled([number(1), moment(never), number(2), moment(never), number(3)])
  const values = all.map((each) => (each.status === 'fulfilled' ? each.value[0]?.value : 'RangeError'))
  assert.deepEqual(values, [1, 'RangeError', 2, 'RangeError', 3])
  await assert.rejects(moment(never), RangeError)
  assert.equal((await number(4))[0]?.value, 4)
})

test('a statement that fails behind its first rows leaves nothing to the next', async () => {
  const narrow = await openTestDatabase(1)
  after(() => narrow.close())
  await assert.rejects(narrow.pool`select 1 / (4 - at) from generate_series(1, 4) at`, { code: '22012' })
  assert.deepEqual([...(await narrow.pool`select 1 as one`)], [{ one: 1 }])
})

test('a session works in UTC', async () => {
  const [row] = await pool<[{ zone: string }]>`select current_setting('TimeZone') as zone`
  assert.equal(row.zone, 'UTC')
})

// The embedded database has no timer that could fire while a statement runs.
test('a server applies the timeout of statements', { skip: !onServer && 'embedded' }, async () => {
  const bounded = openPool({ url: database.url ?? '', poolSize: 1, statementTimeout: 50 })
  await assert.rejects(bounded`select pg_sleep(60)`, { code: '57014' })
  await bounded.end({ timeout: 1 })
})

test('opening connects to nothing: a database that is away is an error of the first statement', async () => {
  const nowhere = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 2 })
  await assert.rejects(nowhere`select 1`, { code: 'ECONNREFUSED' })
  await nowhere.end({ timeout: 1 })
})

test('what a statement costs does not grow with those that went before', async () => {
  await Promise.all(Array.from({ length: 8 }, () => pool`select pg_sleep(0.05)`))
  const { indexOf } = Array.prototype
  const statements = 1_300
  let longest = 0
  Array.prototype.indexOf = function (wanted, from = 0) {
    longest = Math.max(longest, this.length)
    return indexOf.call(this, wanted, from)
  }
  try {
    for (let statement = 0; statement < statements; statement++) await pool`select 1`
  } finally {
    Array.prototype.indexOf = indexOf
  }
  assert.ok(longest < 200, `${longest} places were searched after ${statements} statements`)
})

test('a statement behind a copy is answered, also when its last rows filled the stream', async () => {
  // Rows and their end come in one piece, of more than a stream takes unread (16 KiB).
  for (const rows of [20, 30, 40, 50]) {
    await pool.begin(async (sql) => {
      const copied = `copy (select repeat('x', 1000) from generate_series(1, ${rows})) to stdout`
      let bytes = 0
      for await (const row of await sql.unsafe(copied).readable()) {
        await turns()
        bytes += row.length
      }
      assert.equal(bytes, rows * 1001)
      assert.equal((await sql`select 1 as one`)[0]?.one, 1)
    })
  }
})
