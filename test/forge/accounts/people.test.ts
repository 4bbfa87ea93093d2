import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Account } from '../../../src/forge/accounts/account-store.ts'
import { otherAdministers } from '../../../src/forge/accounts/administrator-store.ts'
import { pageOfUsers, USER_SORTS, type UserFilter } from '../../../src/forge/accounts/user-list-store.ts'
import { ORDERS } from '../../../src/forge/protocol/sorting.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { makersFor } from '../../support/forge/make.ts'
import { plansOf, scannedIn } from '../../support/plans.ts'

const app = await startApp()
const { pool, database } = app
const { person, admin, bot, organization, begin } = makersFor(app)

const everybody: UserFilter = {
  q: '',
  source_id: 0,
  login_name: '',
  visibility: undefined,
  is_active: undefined,
  is_admin: undefined,
  is_restricted: undefined,
  is_2fa_enabled: undefined,
  is_prohibit_login: undefined,
}
const first = { page: 1, limit: 50 }
/** More than a search looks at; where plans are looked at, so many that indexes are preferred, as with a million. */
const many = onServer ? 15_000 : 6_000
/** So many rows of a search are counted. */
const counted = 1000

before(async () => {
  await pool`
    insert into forge.account (kind, name, full_name, email, visibility, is_active, created_at, updated_at)
    select 'person', 'crowd-' || to_hex(n * 7919) || '-x' || n, 'Someone ' || to_hex(n * 104729),
      'crowd' || n || '@crowd.example', case when n % 100 = 0 then 'private' else 'public' end, n % 50 <> 0,
      ${app.clock.now()}::timestamptz - n * interval '1 second', ${app.clock.now()}::timestamptz + n * interval '1 second'
    from generate_series(1, ${many}) as n`
  await pool.unsafe('vacuum analyze forge.account')
})

const names = (page: { rows: readonly Account[] }) => page.rows.map(({ name }) => name)
const find = (q: string, more: Partial<UserFilter> = {}) =>
  pageOfUsers(pool, { ...everybody, ...more, q }, first)

/** The values that the stored counts must always have. */
async function holdTally(): Promise<void> {
  const wrong = await pool`
    select kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility
    from (
      select kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, accounts
      from forge.account_tally
      union all
      select kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, -1
      from forge.account
    ) as both_sides
    group by kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility
    having sum(accounts) <> 0`
  assert.deepEqual([...wrong], [])
}

test('a list of people holds no bots and no organizations', async () => {
  const owner = await person({ name: 'list-owner' })
  await bot({ name: 'list-bot' })
  await organization(owner, { name: 'list-org' })
  assert.deepEqual(names(await find('list-')), ['list-owner'])
})

test('a needle is found inside names, full names and addresses, in any case', async () => {
  await person({ name: 'Needle-in.Name', full_name: 'Zoë Hay Stack', email: 'xq.zzy@hay.example' })
  for (const q of [
    'edle-in.n',
    'NEEDLE',
    'ë hay',
    'Y STA',
    'xq.zz',
    'hay.exam',
    ' needle ',
    'Zoë',
    'xq',
    'ë',
  ]) {
    assert.ok(names(await find(q)).includes('Needle-in.Name'), q)
  }
  assert.deepEqual(names(await find('needle hay')), [])
})

test('per cent and underscore are wildcards, a backslash and a quote are characters', async () => {
  await person({ name: 'wild-card-1', full_name: "back\\slash o'quote" })
  assert.deepEqual(names(await find('wild%1')), ['wild-card-1'])
  assert.deepEqual(names(await find('wild_card_1')), ['wild-card-1'])
  assert.deepEqual(names(await find('wild-car%')), ['wild-card-1'])
  assert.deepEqual(names(await find('%ard-1')), ['wild-card-1'])
  assert.deepEqual(names(await find('ard-1%')), [])
  assert.deepEqual(names(await find('back\\slash')), ['wild-card-1'])
  assert.deepEqual(names(await find("o'quote")), ['wild-card-1'])
  assert.deepEqual(names(await find('\\')), ['wild-card-1'])
  for (const q of ['%', '%%%']) assert.equal((await find(q)).total, (await find('')).total)
  for (const q of ['\0', 'a\0b', '\ud800', "'; drop table forge.account; --"])
    assert.equal((await find(q)).total, 0, q)
})

test('rare, frequent and short needles give the same rows in the same order as reading everything', async () => {
  const all = await pool<{ name: string; hay: string }[]>`
    select name, key || chr(10) || lower(full_name) || chr(10) || lower(email) as hay
    from forge.account
    where kind = 'person'
    order by key`
  for (const q of ['1ef', 'crowd', 'wd', 'x2', 'd9', 'someone 1', 'none of them']) {
    const expected = all.filter(({ hay }) => hay.includes(q)).map(({ name }) => name)
    const page = await pageOfUsers(pool, { ...everybody, q }, { page: 2, limit: 20 })
    assert.deepEqual(names(page), expected.slice(20, 40), q)
    if (page.hasMore) assert.ok(page.total > 40 && page.total < expected.length, `${q}: ${page.total}`)
    else assert.equal(page.total, expected.length, q)
    assert.ok(page.hasMore || expected.length <= counted, q)
  }
})

test('a search of others than administrators is bounded: no pass over the table', async () => {
  await person({ name: 'wd-first', full_name: 'Else' })
  for (const [q, visible, total] of [
    ['crowd', 'everything', counted],
    ['crowd.example', 'public', 0],
    ['wd', 'everything', counted],
    ['wd', 'not private', 1],
    ['%wd', 'public', 0],
    ['wd%', 'public', 1],
  ] as const) {
    assert.equal((await find(q, { visible })).total, total, `${q} ${visible}`)
  }
  // No more are counted than the bound; some of them are private.
  const { total, hasMore, rows } = await find('crowd.example', { visible: 'not private' })
  assert.deepEqual([total, hasMore, rows.length], [counted, true, first.limit])
})

test('every sort is total, and its descending order is the ascending one backwards', async () => {
  const whole = { page: 1, limit: 1_000_000 }
  for (const sort of USER_SORTS) {
    const [ascending, descending] = await Promise.all(
      ORDERS.map((order) => pageOfUsers(pool, everybody, whole, sort, order)),
    )
    assert.ok(ascending && descending)
    assert.equal(ascending.rows.length, ascending.total)
    assert.deepEqual(names(descending), names(ascending).reverse())
    const keys = ascending.rows.map(
      (row) =>
        ({ name: row.name.toLowerCase(), created: row.created_at, updated: row.updated_at, id: row.id })[
          sort
        ],
    )
    keys.slice(1).forEach((key, at) => {
      const before = keys[at]
      assert.ok(before !== undefined && before <= key, `${sort} ${before} ${key}`)
    })
  }
})

test('pages are the list in pieces; beyond its end there is nothing, and the total stays', async () => {
  const whole = await pageOfUsers(pool, everybody, { page: 1, limit: 1_000_000 })
  const pieces = await Promise.all(
    [1, 2, 3].map((page) => pageOfUsers(pool, everybody, { page, limit: 700 })),
  )
  assert.deepEqual(pieces.flatMap(names), names(whole).slice(0, 2100))
  for (const page of [10_000, Number.MAX_SAFE_INTEGER]) {
    const beyond = await pageOfUsers(pool, everybody, { page, limit: 50 })
    assert.deepEqual([beyond.rows.length, beyond.total], [0, whole.total])
    assert.equal((await pageOfUsers(pool, { ...everybody, q: 'crowd' }, { page, limit: 50 })).total, many)
  }
})

test('filters narrow the list, alone and together, and the total follows', async () => {
  const boss = await admin({
    name: 'filter-boss',
    visibility: 'limited',
    login_name: 'cn=boss',
    source_id: 7,
  })
  await person({ name: 'filter-restricted', is_restricted: true })
  for (const [filter, expected] of [
    [{ is_admin: true, q: 'filter' }, ['filter-boss']],
    [{ is_admin: false, q: 'filter' }, ['filter-restricted']],
    [{ is_admin: true, visibility: 'limited' }, ['filter-boss']],
    [{ is_admin: true, visibility: 'private' }, []],
    [{ is_restricted: true }, ['filter-restricted']],
    [{ source_id: 7 }, ['filter-boss']],
    [{ source_id: 8 }, []],
    [{ login_name: 'cn=boss' }, ['filter-boss']],
    [{ login_name: 'cn=boss', is_admin: false }, []],
    [{ is_2fa_enabled: true }, []],
    [{ is_prohibit_login: true }, []],
  ] as const) {
    const page = await pageOfUsers(pool, { ...everybody, ...filter }, first)
    assert.deepEqual(names(page), expected, JSON.stringify(filter))
    assert.equal(page.total, expected.length)
  }
  const inactive = await pageOfUsers(pool, { ...everybody, is_active: false }, first)
  assert.deepEqual([inactive.rows.length, inactive.total], [50, many / 50])
  await pool`insert into forge.totp (account_id, secret, created_at) values (${boss.id}, ${Buffer.alloc(20)}, ${app.clock.now()})`
  assert.deepEqual(names(await find('', { is_2fa_enabled: true })), ['filter-boss'])
  await pool`delete from forge.totp where account_id = ${boss.id}`
  assert.deepEqual(names(await find('', { is_2fa_enabled: true })), [])
})

test('the stored counts follow every change, also of many rows and after a rollback', async () => {
  await holdTally()
  await pool`update forge.account set is_restricted = true where name like 'crowd-%' and id % 3 = 0`
  await pool`update forge.account set full_name = 'Nobody' where name like 'crowd-%' and id % 5 = 0`
  await holdTally()
  await assert.rejects(
    begin(async (tx) => {
      await tx`delete from forge.account where name like 'crowd-%' and id % 2 = 0`
      throw new Error('no')
    }),
  )
  await holdTally()
  await pool`delete from forge.account where name like 'crowd-%' and id % 7 = 0`
  await pool`update forge.account set visibility = 'limited', is_admin = true where name like 'crowd-%' and id % 11 = 0`
  await holdTally()
  await Promise.all(Array.from({ length: 20 }, () => person()))
  await holdTally()
})

const skip = onServer ? false : 'needs a PostgreSQL server'

test('pages of people read an index, in every order and also deep in the list', { skip }, async () => {
  for (const sort of USER_SORTS) {
    for (const order of ORDERS) {
      const plans = await plansOf(database, (sql) =>
        pageOfUsers(sql, everybody, { page: 20, limit: 50 }, sort, order),
      )
      assert.equal(plans.length, 1)
      assert.match(plans[0] ?? '', /Limit\s+-> {2}Index (Only )?Scan/, `${sort} ${order}`)
      assert.ok(!scannedIn(plans[0] ?? '').includes('account'), `${sort} ${order}\n${plans[0]}`)
    }
  }
})

test('rare states and terms of three characters use an index', { skip }, async () => {
  for (const filter of [
    { is_admin: true },
    { visibility: 'private' },
    { login_name: 'x' },
    { q: 'abc' },
    { uid: 7 },
    { visible: 'public' },
    { q: 'abc', visible: 'not private' },
    { q: 'ab', visible: 'public' },
  ] as const) {
    const plans = await plansOf(database, (sql) => pageOfUsers(sql, { ...everybody, ...filter }, first))
    // A search may read the beginning of the list first, then the index.
    assert.ok(plans.length === 1 || (plans.length === 2 && 'q' in filter))
    for (const plan of plans)
      assert.ok(!scannedIn(plan).includes('account'), `${JSON.stringify(filter)}\n${plan}`)
  }
})

test('whether another administrator exists is read from the index of the few who are', { skip }, async () => {
  const plans = await plansOf(database, (sql) => otherAdministers(sql, 1))
  assert.match(plans.join(), /account_admins/)
})
