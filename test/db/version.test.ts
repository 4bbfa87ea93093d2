import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, test } from 'node:test'
import { onServer, openTestDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const database = await openTestDatabase()
const { pool, states } = database
after(() => database.close())

const state = async () => ('local' in states ? states.local() : states.remote())

await pool`create table kept (n int)`

/** States before and after `work`. */
async function around(work: () => Promise<unknown>): Promise<[unknown, unknown]> {
  const before = await state()
  assert.notEqual(before, undefined)
  await work()
  return [before, await state()]
}

for (const [what, work] of [
  ['an insert', () => pool`insert into kept values (1)`],
  ['an update', () => pool`update kept set n = 2`],
  ['a delete', () => pool`delete from kept`],
  [
    'a function that writes',
    () => pool`with new as (insert into kept values (3) returning n) select n from new`,
  ],
  ['copy', async () => pipeline(Readable.from(['4\n']), await pool`copy kept from stdin`.writable())],
  ['truncate', () => pool`truncate kept`],
  ['a change of the schema', () => pool`alter table kept add m int`],
  ['a transaction', () => pool.begin((sql) => sql`insert into kept values (5)`)],
] as const) {
  test(`${what} changes the state`, async () => {
    const [before, behind] = await around(work)
    assert.notEqual(behind, before)
  })
}

test('reads leave the state as it is', async () => {
  await pool`vacuum (analyze) kept`
  const reads = () =>
    around(async () => {
      for (let at = 0; at < 10; at++) await pool`select count(*) from kept`
    })
  if (!onServer) {
    const [before, behind] = await reads()
    assert.equal(behind, before)
    return
  }
  // Others commit meanwhile, in databases of their own, and change the server's state; now and then they do not.
  await until('reads by themselves leave the state', async () => {
    const [before, behind] = await reads()
    return behind === before
  })
})

test('a version is never reused', async () => {
  const seen = new Set<unknown>()
  for (let at = 0; at < 200; at++) {
    await pool`insert into kept values (${at})`
    seen.add(await state())
  }
  assert.equal(seen.size, 200)
})

test('a state is that of what is committed, whatever is under way', async () => {
  await pool.begin(async (sql) => {
    await sql`insert into kept values (6)`
    if ('remote' in states) assert.equal(await states.remote(), await states.remote())
  })
})
