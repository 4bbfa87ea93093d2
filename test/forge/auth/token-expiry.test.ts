import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { basic, bearer, type Somebody } from '../../support/forge/make.ts'
import { creating, listing } from '../../support/forge/tokens.ts'

const { call, clock, make } = await startApp()

const create = ({ name }: Somebody, body: object) =>
  call(creating, { as: basic(name), params: { username: name }, body: { scopes: ['all'], ...body } })
const inHours = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000)

test(`${creating} makes a token that ends at \`expires_at\`, whatever is written meanwhile`, async () => {
  const ada = await make.person({ name: 'ada' })
  const end = inHours(1)
  const { status, body } = await create(ada, { name: 'short', expires_at: end.toISOString() })
  assert.deepEqual([status, body.expires_at], [201, end.toISOString().replace('.000Z', 'Z')])
  const ask = async () => [
    (await call('GET /api/v1/user', { as: bearer(body.sha1) })).status,
    (await call('GET /api/v1/user', { as: basic('x', body.sha1) })).status,
  ]
  const own = await call('GET /api/v1/token', { as: bearer(body.sha1) })
  assert.equal(own.body.expires_at, body.expires_at)
  clock.tick(3_600_000 - 1)
  assert.deepEqual(await ask(), [200, 200])
  clock.tick(1)
  // Nothing was written since: the look-up is cached, and the token has ended nevertheless.
  assert.deepEqual(await ask(), [401, 401])
  const list = await call(listing, { as: basic('ada'), params: { username: 'ada' } })
  assert.deepEqual(
    list.body.map(({ name, expires_at }: { name: string; expires_at: string }) => [name, expires_at]),
    [
      ['short', body.expires_at],
      ['first', null],
    ],
  )
})

test(`${creating} refuses an end that has passed or is none, and makes nothing`, async () => {
  const bob = await make.person({ name: 'bob' })
  for (const expires_at of [
    clock.now().toISOString(),
    inHours(-1).toISOString(),
    'tomorrow',
    '2026-13-01',
    7,
    '\0',
  ])
    assert.equal((await create(bob, { name: 'new', expires_at })).status, 422, String(expires_at))
  for (const [name, expires_at] of [
    ['zero', '0001-01-01T00:00:00Z'],
    ['far', '9999-12-31T23:59:59Z'],
  ])
    assert.equal((await create(bob, { name, expires_at })).status, 201)
  const list = await call(listing, { as: basic('bob'), params: { username: 'bob' } })
  assert.deepEqual(
    list.body.map(({ expires_at }: { expires_at: string }) => expires_at),
    ['9999-12-31T23:59:59Z', null, null],
  )
})
