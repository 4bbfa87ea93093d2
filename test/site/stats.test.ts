import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { call, clock, pool } = await startApp()

const start = async (username: string) =>
  (await call('POST /api/stats/session/start', { body: { username } })).body as {
    sessionId: number
    userId: number
  }
const end = (sessionId: number) => call('POST /api/stats/session/end', { body: { sessionId } })
const overview = async () => (await call('GET /api/stats/overview')).body
const users = async () => (await call('GET /api/stats/users')).body

const names = (entries: { username: string }[]) => entries.map(({ username }) => username)

test('GET /api/stats/overview of an empty site', async () => {
  const { status, body } = await call('GET /api/stats/overview')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    currentUsers: [],
    recentActivity: [],
    general: {
      users: { total: 0, mostRecent: null },
      reports: { named: '0', associated: '0', logged: '0' },
      build: { pipeline: 'unknown', buildNumber: '0', version: '0.0.0' },
    },
  })
})

test('GET /api/stats/users is an empty array without open sessions', async () => {
  const { status, body } = await call('GET /api/stats/users')
  assert.equal(status, 200)
  assert.deepEqual(body, [])
})

test('GET /api/stats/users has one entry per open session, with the id of the user', async () => {
  const { userId } = await start('ada')
  clock.tick(1)
  await start('ada')
  assert.deepEqual(await users(), [
    { id: userId, username: 'ada', started_at: '2026-01-31T08:00:00.001Z' },
    { id: userId, username: 'ada', started_at: '2026-01-31T08:00:00.000Z' },
  ])
})

test('GET /api/stats/users and the overview list the last started first, and of equal moments the later session', async () => {
  clock.tick(10)
  await start('b')
  await start('a')
  await start('c')
  clock.tick(-5)
  await start('between')
  const expected = ['c', 'a', 'b', 'between', 'ada', 'ada']
  assert.deepEqual(names(await users()), expected)
  assert.deepEqual(names((await overview()).currentUsers), expected)
  assert.deepEqual((await overview()).currentUsers, await users())
  clock.tick(5)
})

test('an ended session leaves GET /api/stats/users and GET /api/stats/overview, other sessions of the user stay', async () => {
  const gone = await start('leaver')
  clock.tick(1)
  await start('leaver')
  await end(gone.sessionId)
  assert.equal(names(await users()).filter((name) => name === 'leaver').length, 1)
  assert.equal(names((await overview()).currentUsers).filter((name) => name === 'leaver').length, 1)
})

test('GET /api/stats/overview counts all users, online or not, and names the one who joined last', async () => {
  const before = (await overview()).general.users.total
  const { sessionId, userId } = await start('joined last')
  await end(sessionId)
  clock.tick(1)
  await start('ada')
  const { users: general } = (await overview()).general
  assert.deepEqual(general, { total: before + 1, mostRecent: { username: 'joined last', id: userId } })
})

test('GET /api/stats/overview names the later id of two who joined at one moment', async () => {
  clock.tick(1)
  const [one, other] = await Promise.all([start('twin z'), start('twin a')])
  const later = Math.max(one.userId, other.userId)
  assert.equal((await overview()).general.users.mostRecent.id, later)
})

test('GET /api/stats/overview shows the twenty newest sessions, GET /api/stats/users all of 5,000', async () => {
  clock.tick(1000)
  const now = clock.now()
  await pool`
    with crowd as (
      insert into site.visitor (username, joined_at)
      select 'crowd ' || lpad(number::text, 4, '0'), ${now} from generate_series(1, 5000) as number
      returning id, username
    )
    insert into site.session (visitor_id, started_at)
    select id, ${now} from crowd order by username`
  const all = await users()
  const crowd = names(all).filter((name) => name.startsWith('crowd'))
  assert.equal(crowd.length, 5000)
  assert.equal(new Set(crowd).size, 5000)
  assert.deepEqual(crowd, crowd.toSorted().toReversed())
  const { currentUsers, general } = await overview()
  assert.deepEqual(currentUsers, all.slice(0, 20))
  const [stored] = await pool<[{ visitors: number }]>`select count(*) as visitors from site.visitor`
  assert.equal(general.users.total, stored.visitors)
})

test('GET /api/stats/users gives concurrent readers the same whole list', async () => {
  const lists = await Promise.all(Array.from({ length: 10 }, () => users()))
  for (const list of lists) assert.deepEqual(list, lists[0])
  assert.ok(lists[0].length > 5000)
})

test('the count of users stays exact under concurrent joins, removals and renames', async () => {
  const join = (at: number) => start(`changing ${at % 40}`)
  const remove = (at: number) => pool`delete from site.visitor where username = ${`changing ${at % 40}`}`
  const rename = (at: number) =>
    pool`update site.visitor set username = ${`renamed ${at}`} where username = ${`crowd ${String(at).padStart(4, '0')}`}`
  await Promise.all(
    Array.from({ length: 300 }, (_, at) =>
      at % 3 === 0 ? remove(at) : at % 7 === 0 ? rename(at) : join(at),
    ),
  )
  await assert.rejects(
    pool.begin(async (sql) => {
      await sql`insert into site.visitor (username, joined_at) values ('rolled back', now())`
      throw new Error('rolled back')
    }),
    /rolled back/,
  )
  const [stored] = await pool<[{ visitors: number }]>`select count(*) as visitors from site.visitor`
  assert.equal((await overview()).general.users.total, stored.visitors)
})

test('the count of users stays exact when the table is emptied while others join', async () => {
  const joins = Array.from({ length: 100 }, (_, at) => start(`late ${at}`))
  await Promise.all([...joins, pool`truncate site.visitor cascade`])
  const [stored] = await pool<[{ visitors: number }]>`select count(*) as visitors from site.visitor`
  assert.equal((await overview()).general.users.total, stored.visitors)
})

test('a truncated site is an empty site, and counts on from there', async () => {
  await pool`truncate site.visitor cascade`
  const { currentUsers, general } = await overview()
  assert.deepEqual(currentUsers, [])
  assert.deepEqual(general.users, { total: 0, mostRecent: null })
  const { userId } = await start('first again')
  assert.deepEqual((await overview()).general.users, {
    total: 1,
    mostRecent: { username: 'first again', id: userId },
  })
})
