import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { pageOfAddresses, pageOfOwnAddresses } from '../../../src/forge/users/email-list-store.ts'
import { onServer, openTestDatabase } from '../../support/database.ts'
import { plansOf, scannedIn } from '../../support/plans.ts'

const database = await openTestDatabase()
const { pool } = database
const page = { page: 1, limit: 50 }

before(async () => {
  await pool`
    insert into forge.account (kind, name, full_name, email, created_at, updated_at)
    select 'person', 'user' || n, 'Number ' || n, 'user' || n || '@example.org', now(), now()
    from generate_series(1, 3000) as n`
  await pool`
    insert into forge.email_address
      (account_id, address, key, is_primary, is_activated, created_at)
    select id, email, email, true, true, now()
    from forge.account
    where kind = 'person'`
  await pool`analyze forge.account, forge.email_address`
})

test.after(() => database.close())

test('a term with more hits than the index may return is found by reading the table, on all pages', async () => {
  const { rows, total } = await pageOfAddresses(pool, 'example.org', { page: 60, limit: 50 })
  assert.deepEqual([rows.length, total], [50, 3000])
  assert.equal(rows.at(-1)?.address, 'user9@example.org')
  const counted = await pageOfAddresses(pool, '@', page)
  assert.deepEqual([counted.total, counted.hasMore], [1000, true])
})

test('a term that stands in few is found by the index of runs, and one of two characters by reading', async () => {
  const found = await pageOfAddresses(pool, 'ER77@', page)
  assert.deepEqual(
    found.rows.map(({ address, owner }) => [address, owner]),
    [['user77@example.org', 'user77']],
  )
  assert.equal(found.total, 1)
  assert.equal((await pageOfAddresses(pool, '7@', { page: 6, limit: 50 })).rows.length, 50)
  const { total, hasMore } = await pageOfAddresses(pool, '7@', page)
  assert.ok(hasMore && total > 50 && total < 300, String(total))
  assert.equal((await pageOfAddresses(pool, 'er 77', page)).total, 11)
  assert.equal((await pageOfAddresses(pool, 'er_7', page)).total, 0)
})

test('lists are one statement each and read no table from end to end', {
  skip: !onServer,
}, async () => {
  await pool`
    insert into forge.email_address (account_id, address, key, is_primary, is_activated, created_at)
    select id, n || '@more.example', n || '@more.example', false, true, now()
    from (select min(id) as id from forge.account where kind = 'person') as first, generate_series(1, 20000) as n`
  await pool`vacuum analyze forge.account`
  await pool`vacuum analyze forge.email_address`
  const plans = await plansOf(database, async (sql) => {
    await pageOfAddresses(sql, '', page)
    await pageOfAddresses(sql, '', { page: 200, limit: 50 })
    await pageOfOwnAddresses(sql, 7, page)
  })
  assert.equal(plans.length, 3)
  for (const plan of plans)
    assert.deepEqual(
      scannedIn(plan).filter((table) => ['account', 'email_address'].includes(table)),
      [],
      plan,
    )
})
