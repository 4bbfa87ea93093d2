import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { app, call } = await startApp()

test('GET /api/health says that requests can be served', async () => {
  const { status, body } = await call('GET /api/health')
  assert.equal(status, 200)
  assert.deepEqual(body, { ok: true })
})

test('GET /api/health needs no query and ignores one', async () => {
  const { status, body } = await call('GET /api/health', { query: { limit: 'x' } })
  assert.equal(status, 200)
  assert.deepEqual(body, { ok: true })
})

test('GET /api/health answers 503 with Retry-After while nobody is let in', async () => {
  app.gate.close('closed by the test')
  const { status, headers, body } = await call('GET /api/health')
  app.gate.open()
  assert.equal(status, 503)
  assert.equal(headers.get('retry-after'), '1')
  assert.deepEqual(body, { error: 'the database is away' })
  assert.equal((await call('GET /api/health')).status, 200)
})
