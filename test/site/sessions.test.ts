import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endSessionsBefore } from '../../src/site/session-store.ts'
import { startApp } from '../support/app.ts'

const { call, clock, pool } = await startApp()

const start = async (username: string) =>
  (await call('POST /api/stats/session/start', { body: { username } })).body as {
    sessionId: number
    userId: number
  }
const end = (sessionId: unknown) => call('POST /api/stats/session/end', { body: { sessionId } })

async function visitor(username: string) {
  const [row] = await pool<{ id: number; joined_at: string; last_seen_at: string | null }[]>`
    select id, joined_at, last_seen_at from site.visitor where username = ${username}`
  return row
}

async function session(id: number) {
  const [row] = await pool<{ visitor_id: number; started_at: string; ended_at: string | null }[]>`
    select visitor_id, started_at, ended_at from site.session where id = ${id}`
  return row
}

async function counts() {
  const [row] = await pool<[{ visitors: number; sessions: number; kept: number }]>`
    select
      (select count(*) from site.visitor) as visitors,
      (select count(*) from site.session) as sessions,
      (select sum(visitors)::bigint from site.visitor_count) as kept`
  return row
}

test('POST /api/stats/session/start opens a session of a new user', async () => {
  const { status, body } = await call('POST /api/stats/session/start', {
    body: { username: 'ada', userId: 99, ended_at: 'x' },
  })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body).sort(), ['sessionId', 'userId'])
  const now = '2026-01-31T08:00:00.000Z'
  assert.deepEqual(await visitor('ada'), { id: body.userId, joined_at: now, last_seen_at: now })
  assert.deepEqual(await session(body.sessionId), {
    visitor_id: body.userId,
    started_at: now,
    ended_at: null,
  })
})

test('POST /api/stats/session/start of a known user opens another session and moves last_seen_at', async () => {
  const first = await start('grace')
  clock.tick(1500)
  const second = await start('grace')
  assert.equal(second.userId, first.userId)
  assert.notEqual(second.sessionId, first.sessionId)
  assert.deepEqual(await visitor('grace'), {
    id: first.userId,
    joined_at: '2026-01-31T08:00:00.000Z',
    last_seen_at: '2026-01-31T08:00:01.500Z',
  })
  assert.equal((await session(first.sessionId))?.ended_at, null)
  assert.equal((await session(second.sessionId))?.started_at, '2026-01-31T08:00:01.500Z')
})

test('POST /api/stats/session/start folds no case and trims nothing: these are four users', async () => {
  const started = await Promise.all(['linus', 'Linus', ' linus', 'linus '].map(start))
  assert.equal(new Set(started.map(({ userId }) => userId)).size, 4)
})

test('POST /api/stats/session/start keeps a name as it is written', async () => {
  for (const name of [
    '𝄞 naïve',
    'e\u0301',
    '\u00e9',
    '{a,"b"}',
    "'; drop table site.visitor; --",
    'NULL',
    ' ',
  ]) {
    const { userId } = await start(name)
    assert.equal((await visitor(name))?.id, userId, JSON.stringify(name))
  }
})

for (const body of [
  undefined,
  {},
  [],
  ['username'],
  'null',
  'false',
  '"ada"',
  '12',
  { username: '' },
  { username: null },
  { username: 1 },
  { username: true },
  { username: ['ada'] },
  { username: { name: 'ada' } },
  { Username: 'ada' },
  '{"__proto__":{"username":"ada"}}',
]) {
  test(`POST /api/stats/session/start refuses ${JSON.stringify(body) ?? 'no body'} and writes nothing`, async () => {
    const before = await counts()
    const { status, body: refusal } = await call('POST /api/stats/session/start', { body })
    assert.equal(status, 400)
    assert.deepEqual(refusal, { error: 'username is required' })
    assert.deepEqual(await counts(), before)
  })
}

for (const [kind, letter] of [
  ['ASCII letters', 'a'],
  ['accented letters', 'é'],
  ['characters beyond the basic plane', '𝄞'],
] as const) {
  test(`POST /api/stats/session/start takes 255 ${kind} and refuses 256`, async () => {
    const longest = letter.repeat(255)
    const { userId } = await start(longest)
    assert.equal((await visitor(longest))?.id, userId)
    const before = await counts()
    const { status, body } = await call('POST /api/stats/session/start', {
      body: { username: longest + letter },
    })
    assert.equal(status, 400)
    assert.deepEqual(body, { error: 'username must have at most 255 characters' })
    assert.deepEqual(await counts(), before)
  })
}

test('POST /api/stats/session/start in parallel makes one user of one new name', async () => {
  const started = await Promise.all(Array.from({ length: 40 }, () => start('rush')))
  assert.equal(new Set(started.map(({ userId }) => userId)).size, 1)
  assert.equal(new Set(started.map(({ sessionId }) => sessionId)).size, 40)
  const [row] = await pool<
    [{ rows: number }]
  >`select count(*) as rows from site.visitor where username = 'rush'`
  assert.equal(row.rows, 1)
})

test('POST /api/stats/session/start 200 times for 50 users gives each call its own session and user', async () => {
  const names = Array.from({ length: 200 }, (_, at) => `crowd ${at % 50}`)
  const before = await counts()
  const started = await Promise.all(names.map(start))
  assert.equal(new Set(started.map(({ sessionId }) => sessionId)).size, 200)
  for (const [at, { sessionId, userId }] of started.entries()) {
    assert.equal((await visitor(names[at] ?? ''))?.id, userId)
    assert.equal((await session(sessionId))?.visitor_id, userId)
  }
  const after = await counts()
  assert.equal(after.visitors, before.visitors + 50)
  assert.equal(after.sessions, before.sessions + 200)
  assert.equal(after.kept, after.visitors)
})

test('POST /api/stats/session/end ends an open session', async () => {
  const { sessionId } = await start('alan')
  clock.tick(5000)
  const { status, body } = await end(sessionId)
  assert.equal(status, 204)
  assert.equal(body, undefined)
  assert.equal((await session(sessionId))?.ended_at, clock.now().toISOString())
})

test('POST /api/stats/session/end ends that session only', async () => {
  const first = await start('twice')
  const second = await start('twice')
  await end(first.sessionId)
  assert.equal((await session(second.sessionId))?.ended_at, null)
  assert.equal((await end(second.sessionId)).status, 204)
})

test('POST /api/stats/session/end leaves an ended session as it is and answers 404', async () => {
  const { sessionId } = await start('gone')
  await end(sessionId)
  const ended = await session(sessionId)
  clock.tick(1000)
  const { status, body } = await end(sessionId)
  assert.equal(status, 404)
  assert.deepEqual(body, { error: 'no active session with that id' })
  assert.deepEqual(await session(sessionId), ended)
})

test('POST /api/stats/session/end by twenty at once succeeds for one', async () => {
  const { sessionId } = await start('raced')
  const answers = await Promise.all(Array.from({ length: 20 }, () => end(sessionId)))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [204, ...Array.from({ length: 19 }, () => 404)])
})

for (const text of [
  undefined,
  '{}',
  '[]',
  'null',
  '7',
  '{"sessionId":null}',
  '{"sessionId":""}',
  '{"sessionId":"1"}',
  '{"sessionId":true}',
  '{"sessionId":[1]}',
  '{"sessionId":{"id":1}}',
  '{"sessionid":1}',
  '{"__proto__":{"sessionId":1}}',
]) {
  test(`POST /api/stats/session/end refuses ${text ?? 'no body'}`, async () => {
    const { status, body } = await call('POST /api/stats/session/end', { body: text })
    assert.equal(status, 400)
    assert.deepEqual(body, { error: 'sessionId is required' })
  })
}

for (const number of [
  '0',
  '-1',
  '1.5',
  '1e3',
  '999999999',
  '9007199254740993',
  '9223372036854775808',
  '1e400',
  '-1e400',
]) {
  test(`POST /api/stats/session/end finds no session under the number ${number}`, async () => {
    const { status, body } = await call('POST /api/stats/session/end', { body: `{"sessionId":${number}}` })
    assert.equal(status, 404)
    assert.deepEqual(body, { error: 'no active session with that id' })
  })
}

test('POST /api/stats/session/start and end accept what navigator.sendBeacon sends', async () => {
  const headers = { 'content-type': 'text/plain;charset=UTF-8' }
  const started = await call('POST /api/stats/session/start', {
    headers,
    body: JSON.stringify({ username: 'beacon' }),
  })
  assert.equal(started.status, 201)
  const ended = await call('POST /api/stats/session/end', {
    headers,
    body: JSON.stringify({ sessionId: started.body.sessionId }),
  })
  assert.equal(ended.status, 204)
  const broken = await call('POST /api/stats/session/end', { headers, body: 'sessionId=1' })
  assert.equal(broken.status, 400)
})

test('a session ends no earlier than it started, also after the clock was set back', async () => {
  const { sessionId } = await start('traveller')
  clock.tick(-60_000)
  assert.equal((await end(sessionId)).status, 204)
  clock.tick(60_000)
  const row = await session(sessionId)
  assert.equal(row?.ended_at, row?.started_at)
})

test('endSessionsBefore ends open sessions that started before a moment, and returns how many', async () => {
  const old = await start('old')
  clock.tick(1000)
  const moment = clock.now()
  const young = await start('young')
  await endSessionsBefore(pool, moment, moment)
  assert.equal((await session(old.sessionId))?.ended_at, moment.toISOString())
  assert.equal((await session(young.sessionId))?.ended_at, null)
  assert.equal(await endSessionsBefore(pool, moment, moment), 0)
})

test('deleting a visitor deletes the sessions', async () => {
  const { sessionId, userId } = await start('removed')
  await pool`delete from site.visitor where id = ${userId}`
  assert.equal(await session(sessionId), undefined)
  assert.equal((await end(sessionId)).status, 404)
})
