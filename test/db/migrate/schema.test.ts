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

test('no index begins another index of the same rows', async () => {
  // The longer one serves what the shorter one serves, and each write would pay for both.
  const found = await pool`
    select pg_get_indexdef(short.indexrelid) as short
    from pg_index as short
    join pg_index as long on long.indrelid = short.indrelid and long.indexrelid <> short.indexrelid
    join pg_class as short_class on short_class.oid = short.indexrelid
    join pg_class as long_class on long_class.oid = long.indexrelid and long_class.relam = short_class.relam
    where not short.indisunique and short.indexprs is null and long.indexprs is null
      and (short.indkey::int2[])[0:short.indnatts - 1] = (long.indkey::int2[])[0:short.indnatts - 1]
      and (short.indoption::int2[])[0:short.indnatts - 1] = (long.indoption::int2[])[0:short.indnatts - 1]
      and short.indnkeyatts <= long.indnkeyatts
      and pg_get_expr(short.indpred, short.indrelid) is not distinct from pg_get_expr(long.indpred, long.indrelid)
      and short.indrelid::regclass::text not like 'pg_%'`
  assert.deepEqual(
    found.map(({ short }) => short),
    [],
  )
})
