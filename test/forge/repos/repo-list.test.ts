import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { updateAccount } from '../../../src/forge/accounts/account-store.ts'
import type { RepositoryFilter } from '../../../src/forge/repos/repo-filter-store.ts'
import { pageOfRepositories, REPOSITORY_SORTS } from '../../../src/forge/repos/repo-list-store.ts'
import type { Reader } from '../../../src/forge/repos/visibility.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { plansOf, scannedIn, vacuumed } from '../../support/plans.ts'

const app = await startApp()
const { pool, database, make } = app
const boss = await make.admin({ name: 'boss' })
const [ada, grace] = await make.people('ada', 'grace')
const club = await make.organization(grace, { name: 'club' })
await make.team(club, [ada], { permission: 'write', includes_all_repositories: true })

const readers: Readonly<Record<string, Reader>> = {
  'an administrator': { me: { id: boss.id, is_admin: true, is_restricted: false }, publicOnly: false },
  'somebody signed in': { me: { id: ada.id, is_admin: false, is_restricted: false }, publicOnly: false },
  'an anonymous caller': { me: undefined, publicOnly: false },
}
const strangers = { me: undefined, publicOnly: false }
/**
 * On a server so many that the planner prefers indexes, as it does with a million: plans are tested there. On both more
 * than a search asks the index for.
 */
const many = onServer ? 30_000 : 10_500
const place = { page: 20, limit: 50 }

before(async () => {
  const now = app.clock.now()
  await pool`
    insert into forge.account (kind, name, full_name, visibility, created_at, updated_at)
    select 'person', 'owner' || n, '', case when n % 20 = 0 then 'private' else 'public' end, ${now}, ${now}
    from generate_series(1, 3000) as n`
  await pool`
    insert into forge.repository
      (owner_id, name, folder_owner, folder_name, state, is_private, default_branch, object_format, size, created_at,
       updated_at)
    select account.id, 'tool-' || to_hex(n * 7919) || '-' || n, account.key, 'tool-' || n, 'ready', n % 10 = 0,
      'main', 'sha1', n * 7919 % 10007, ${now}::timestamptz - n * interval '1 second',
      ${now}::timestamptz + n * interval '1 second'
    from generate_series(1, ${many}) as n
    join forge.account on account.key = 'owner' || (1 + n % 3000)`
  await vacuumed(pool, 'repository')
})

const list = (reader: Reader, filter: RepositoryFilter = {}) =>
  pageOfRepositories(pool, reader, filter, { page: 1, limit: 50 }, 'alpha asc')

async function create(owner: { id: number }, name: string, isPrivate = false): Promise<void> {
  await pool`
    insert into forge.repository
      (owner_id, name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at, updated_at)
    values (${owner.id}, ${name}, 'x', ${name}, 'ready', ${isPrivate}, 'main', 'sha1', ${app.clock.now()},
      ${app.clock.now()})`
}

const foundBy = async (reader: Reader, q: string) => {
  const page = await list(reader, { q })
  assert.equal(page.total, page.rows.length, 'the total is that of what is shown')
  return page.rows.map(({ row }) => row.name)
}

test('a search finds and counts the repositories that the reader may see, by three characters or fewer', async () => {
  for (const [owner, name, isPrivate] of [
    [grace, 'needle-open', false],
    [grace, 'needle-hidden', true],
    [club, 'needle-shared', true],
    [ada, 'needle-own', true],
  ] as const)
    await create(owner, name, isPrivate)
  for (const q of ['needle-', 'EEDLE', 'DL']) {
    const found = await Promise.all(Object.values(readers).map((reader) => foundBy(reader, q)))
    assert.deepEqual(found, [
      ['needle-hidden', 'needle-open', 'needle-own', 'needle-shared'],
      ['needle-open', 'needle-own', 'needle-shared'],
      ['needle-open'],
    ])
  }
  assert.deepEqual(await foundBy(strangers, 'no such needle'), [])
})

test('a search for a frequent text reads the list in order, and counts to a bound', async () => {
  const page = await list(strangers, { q: 'tool-' })
  const [{ count } = { count: 0 }] = await pool<{ count: number }[]>`
    select count(*) as count
    from forge.repository
    join forge.account on account.id = owner_id
    where not is_private and visibility = 'public' and repository.key like 'tool-%'`
  assert.ok(count > 1000)
  assert.deepEqual([page.total, page.hasMore, page.rows.length], [1000, true, 50])
})

test('a change of an owner hides and shows its repositories at once', async () => {
  await create(grace, 'changing')
  for (const [visibility, signedIn, anonymous] of [
    ['private', 0, 0],
    ['limited', 1, 0],
    ['public', 1, 1],
  ] as const) {
    await make.begin((tx) => updateAccount(tx, grace.id, { visibility }))
    const [, known, unknown] = Object.values(readers)
    assert.ok(known && unknown)
    assert.equal((await foundBy(known, 'changing')).length, signedIn, visibility)
    assert.equal((await foundBy(unknown, 'changing')).length, anonymous, visibility)
  }
})

test('a new repository and a change of its owner wait for each other', {
  skip: onServer ? false : 'needs two connections',
}, async () => {
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      create(grace, `raced-${round}`),
      make.begin((tx) => updateAccount(tx, grace.id, { visibility: round % 2 ? 'public' : 'private' })),
    ])
    const wrong = await pool`
      select from forge.repository
      join forge.account on account.id = owner_id
      where owner_visibility <> visibility`
    assert.equal(wrong.length, 0)
  }
})

const skip = onServer ? false : 'needs a PostgreSQL server'

for (const [who, reader] of Object.entries(readers)) {
  test(`pages of repositories come from an index in every order, for ${who}`, { skip }, async () => {
    for (const sort of REPOSITORY_SORTS) {
      for (const order of ['asc', 'desc'] as const) {
        const [plan = ''] = await plansOf(database, (sql) =>
          pageOfRepositories(sql, reader, {}, place, `${sort} ${order}`),
        )
        assert.match(plan, /Limit\s+-> {2}Index (Only )?Scan/, `${sort} ${order}\n${plan}`)
        assert.ok(!scannedIn(plan).includes('repository'), `${sort} ${order}\n${plan}`)
      }
    }
  })

  test(`filters and needles of three characters come from an index, for ${who}`, { skip }, async () => {
    for (const filter of [
      { owner: 100 },
      { among: { of: ada.id } },
      { among: { starredBy: ada.id } },
      { among: { watchedBy: ada.id } },
      { q: 'abc' },
      { q: 'abc', owner: 100 },
      { is_private: true },
      { template: true },
      { archived: true },
      { topics: ['abc'] },
    ]) {
      const [plan = ''] = await plansOf(database, (sql) =>
        pageOfRepositories(sql, reader, filter, place, 'updated desc'),
      )
      assert.ok(!scannedIn(plan).includes('repository'), `${JSON.stringify(filter)}\n${plan}`)
    }
  })
}
