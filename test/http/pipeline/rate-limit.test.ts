import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { basic, makersFor } from '../../support/forge/make.ts'

/** Status, `Retry-After` and text of an answer. */
async function ask({ url }: TestApp, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, init)
  const text = await response.text()
  return { status: response.status, after: response.headers.get('retry-after'), text }
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('RATE_LIMIT_ADDRESS bounds the requests of an address, in the words of each API', async () => {
  const app = await startApp({ RATE_LIMIT_ADDRESS: '5/1m' })
  for (let count = 0; count < 5; count++) assert.equal((await ask(app, '/api/news')).status, 200)
  for (const path of ['/api/news', '/api/v1/version', '/api/nothing', '/nothing']) {
    const { status, after, text } = await ask(app, path)
    assert.deepEqual([status, after], [429, '12'], path)
    assert.match(text, /too many requests, try again later/, path)
  }
  const body = JSON.stringify({ title: 'a', content: 'b' })
  const posted = await ask(app, '/api/news', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.equal(posted.status, 429)
  app.clock.tick(11_999)
  assert.deepEqual((await ask(app, '/api/news')).after, '1')
  app.clock.tick(1)
  assert.equal(
    (await ask(app, '/api/news')).text,
    '[]',
    'what was refused has written nothing and does not count',
  )
  assert.equal((await ask(app, '/api/news')).status, 429)
})

test('addresses behind a trusted proxy count for themselves, and a network of 64 bits as one', async () => {
  const app = await startApp({ RATE_LIMIT_ADDRESS: '1/1h' })
  const statusOf = async (address: string) => (await ask(app, '/api/news', from(address))).status
  assert.equal(await statusOf('203.0.113.1'), 200)
  assert.equal(await statusOf('203.0.113.1'), 429)
  assert.equal(await statusOf('203.0.113.2'), 200)
  assert.equal(await statusOf('2001:db8::1'), 200)
  assert.equal(await statusOf('2001:db8::ffff'), 429)
  assert.equal(await statusOf('2001:db8:0:1::1'), 200)
})

test('RATE_LIMIT_ACCOUNT bounds the requests of an account from all addresses together', async () => {
  const app = await startApp({ RATE_LIMIT_ACCOUNT: '2/1m' })
  const make = makersFor(app)
  await make.person({ name: 'ada' })
  await make.person({ name: 'bob' })
  const asked = async (name: string, address: string) => {
    const headers = { ...from(address).headers, ...basic(name) }
    return ask(app, '/api/v1/user', { headers })
  }
  assert.equal((await asked('ada', '203.0.113.1')).status, 200)
  assert.equal((await asked('ada', '203.0.113.2')).status, 200)
  const refused = await asked('ada', '203.0.113.3')
  assert.deepEqual([refused.status, refused.after], [429, '30'])
  assert.match(refused.text, /too many requests of this account/)
  assert.equal((await asked('bob', '203.0.113.3')).status, 200)
  for (let count = 0; count < 4; count++) assert.equal((await ask(app, '/api/v1/version')).status, 200)
  app.clock.tick(30_000)
  assert.equal((await asked('ada', '203.0.113.3')).status, 200)
})
