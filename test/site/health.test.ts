import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { onServer } from '../support/database.ts'

const { app, call, pool } = await startApp()
// On a busy machine the first statement of a database takes longer than a health check waits.
await pool`select 1`

test('GET /api/health answers while the database answers', async () => {
  const { status, body } = await call('GET /api/health')
  assert.equal(status, 200)
  assert.deepEqual(body, { ok: true })
})

test('GET /api/health needs no query and ignores one', async () => {
  const { status, body } = await call('GET /api/health', { query: { limit: 'x' } })
  assert.equal(status, 200)
  assert.deepEqual(body, { ok: true })
})

test('GET /api/health answers 503 with Retry-After while the limiter of the database is closed', async () => {
  app.limiter.close()
  const { status, headers, body } = await call('GET /api/health')
  app.limiter.open()
  assert.equal(status, 503)
  assert.equal(headers.get('retry-after'), '1')
  assert.deepEqual(body, { error: 'the database is away' })
  assert.equal((await call('GET /api/health')).status, 200)
})

test('GET /api/health answers 503 while the database is hung, long before other requests do', async () => {
  // Every connection of the pool; the embedded database runs one statement at a time.
  const length = onServer ? (pool.options.max ?? 10) : 1
  const hung = Array.from({ length }, () => pool`select pg_sleep(4)`.execute())
  let isAnswered = false
  const other = call('GET /api/news').finally(() => {
    isAnswered = true
  })
  const answers = await Promise.all([call('GET /api/health'), call('GET /api/health')])
  for (const { status, headers, body } of answers) {
    assert.equal(status, 503)
    assert.equal(headers.get('retry-after'), '1')
    assert.deepEqual(body, { error: 'the database does not answer' })
  }
  assert.equal(isAnswered, false)
  await other
  await Promise.all(hung)
  assert.equal((await call('GET /api/health')).status, 200)
})
