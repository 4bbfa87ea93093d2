import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveApp } from '../support/app.ts'
import { openTestDatabase } from '../support/database.ts'

// One connection, whose own statistics say which tables it has read from end to end.
const database = await openTestDatabase(1)
const { pool } = database
const app = await serveApp(database)
after(async () => {
  await app.close()
  await database.close()
})
const { call } = app

/** Tables that grow with use. The others have as many rows as there are keys or slots. */
const growing = ['news_post', 'media_item', 'visitor', 'session', 'activity_entry']

/** Long enough for a prepared statement to get a plan that fits every parameter (PostgreSQL, PREPARE). */
const often = 12

await pool`
  insert into site.news_post (title, content, created_at)
  select 'title ' || n, 'content', timestamptz '2026-01-01' + n * interval '1 second'
  from generate_series(1, 20000) as n`
await pool`
  insert into site.media_item (title, media_type, url, created_at)
  select 'title ' || n, 'image', 'url', timestamptz '2026-01-01' + n * interval '1 second'
  from generate_series(1, 20000) as n`
await pool`
  insert into site.visitor (username, joined_at)
  select 'visitor ' || n, timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, 20000) as n`
await pool`
  insert into site.session (visitor_id, started_at, ended_at)
  select id, joined_at, case when id % 200 > 0 then joined_at end from site.visitor`
await pool`
  insert into site.activity_entry (description, created_at)
  select 'entry', timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, 20000) as n`
await pool`analyze`

async function scans(): Promise<Record<string, number>> {
  await pool`select pg_stat_force_next_flush()`
  const rows = await pool<{ name: string; scans: number }[]>`
    select relname as name, seq_scan as scans
    from pg_stat_user_tables
    where schemaname = 'site' and relname in ${pool(growing)}
    order by relname`
  assert.equal(rows.length, growing.length)
  return Object.fromEntries(rows.map(({ name, scans }) => [name, scans]))
}

test('the statistics tell a scan when there is one', async () => {
  const before = await scans()
  await pool`select count(*) from site.news_post where content <> title`
  const after = await scans()
  assert.ok((after.news_post ?? 0) > (before.news_post ?? 0))
})

let turn = 0
const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  'GET /api/news': () => call('GET /api/news', { query: { limit: [1, 20, 100][turn % 3] ?? 20 } }),
  'POST /api/news': () => call('POST /api/news', { body: { title: 'a', content: 'b' } }),
  'GET /api/news/{id}': () => call('GET /api/news/{id}', { params: { id: 1000 + turn } }),
  'PATCH /api/news/{id}': () =>
    call('PATCH /api/news/{id}', { params: { id: 1000 + turn }, body: { title: 'a' } }),
  'DELETE /api/news/{id}': () => call('DELETE /api/news/{id}', { params: { id: 100 + turn } }),
  'GET /api/media': () => call('GET /api/media', { query: { limit: [1, 24, 100][turn % 3] ?? 24 } }),
  'POST /api/media': () => call('POST /api/media', { body: { title: 'a', media_type: 'image', url: 'b' } }),
  'DELETE /api/media/{id}': () => call('DELETE /api/media/{id}', { params: { id: 100 + turn } }),
  'GET /api/stats/overview': () => call('GET /api/stats/overview'),
  'GET /api/stats/users': () => call('GET /api/stats/users'),
  'POST /api/stats/session/start': () =>
    call('POST /api/stats/session/start', {
      body: { username: turn % 2 ? `new ${turn}` : `visitor ${turn}` },
    }),
  'POST /api/stats/session/end': () =>
    call('POST /api/stats/session/end', { body: { sessionId: 200 * turn } }),
}

for (const [literal, operation] of Object.entries(operations)) {
  test(`${literal} reads no growing table from end to end`, async () => {
    const before = await scans()
    for (turn = 1; turn <= often; turn++) await operation()
    assert.deepEqual(await scans(), before)
  })
}

test('the removal of a visitor reads no growing table from end to end', async () => {
  const before = await scans()
  await pool`delete from site.visitor where id = 7`
  assert.deepEqual(await scans(), before)
})
