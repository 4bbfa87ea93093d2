import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../../support/database.ts'

const { pool, close } = await openTestDatabase()
after(close)

test('no table with a generated column has a trigger before its updates', async () => {
  // Each update would count as one of the key (ExecInitStoredGenerated), and those who have referred to the row and
  // update it then, as counters do, would wait for each other in a circle.
  const [before, row, update] = [2, 1, 16]
  const found = await pool`
    select tgrelid::regclass as table, tgname as trigger
    from pg_trigger
    where not tgisinternal and tgtype & ${before | row | update} = ${before | row | update}
      and exists (
        select from pg_attribute
        where attrelid = tgrelid and attgenerated = 's'
      )`
  assert.deepEqual(
    found.map(({ table, trigger }) => `${table}: ${trigger}`),
    [],
  )
})
