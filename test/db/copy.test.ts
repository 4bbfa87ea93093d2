import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, test } from 'node:test'
import { openPool } from '../../src/db/open.ts'
import { onServer, openTestDatabase } from '../support/database.ts'
import { openProxy } from '../support/proxy.ts'

// What postgres.js is patched for (src/build/patches/postgres).

const database = await openTestDatabase(1)
after(() => database.close())
const { pool } = database

const refused = [
  ['its only row', ['one\n']],
  ['its last row', [...Array.from({ length: 1000 }, (_, number) => `${number}\n`), 'one\n']],
  ['its first of many rows', ['one\n', ...Array.from({ length: 1000 }, () => '1\n'.repeat(5000))]],
  ['the size of its row', [`${'1'.repeat(300_000)}\n`]],
] as const

for (const [what, chunks] of refused)
  test(`a copy of which the database refuses ${what} fails, and so does its transaction`, async () => {
    await pool`create table if not exists copied (n int)`
    const copying = pool.begin(async (sql) => {
      await sql`insert into copied values (1)`
      await pipeline(Readable.from(chunks), await sql`copy copied from stdin`.writable())
    })
    await assert.rejects(copying, /type integer/)
    assert.deepEqual([...(await pool`select n from copied`)], [])
  })

test('copies one after another take the rows of each', async () => {
  await pool`create table taken (n int)`
  await pool.begin(async (sql) => {
    for (const rows of ['1\n', '2\n', '3\n'])
      await pipeline(Readable.from([rows]), await sql`copy taken from stdin`.writable())
  })
  assert.deepEqual(
    [...(await pool<{ n: number }[]>`select n from taken order by n`)].map(({ n }) => n),
    [1, 2, 3],
  )
})

test('a copy whose connection is lost before or after its end fails', {
  skip: !onServer && 'the embedded database has no line that could be cut',
}, async () => {
  for (const isEnded of [false, true]) {
    const proxy = await openProxy(database.url ?? '')
    const own = openPool({ url: proxy.url, poolSize: 1, statementTimeout: 60_000 })
    await own`create temp table copied (n int)`
    const copying = own.begin(async (sql) => {
      const rows = await sql`copy copied from stdin`.writable()
      const failed = new Promise((resolve) => rows.once('error', resolve))
      rows.write('1\n')
      if (isEnded) rows.end()
      await proxy.cut()
      throw await failed
    })
    await assert.rejects(copying, /CONNECTION_CLOSED|ECONNRESET/)
    await own.end({ timeout: 0 })
    await proxy.close()
  }
})
