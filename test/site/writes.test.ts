import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configure } from '../../src/config.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { basic, bearer, makersFor, samePassword } from '../support/forge/make.ts'

const [open, token, off] = await Promise.all([
  startApp({ SITE_WRITES: 'open' }),
  startApp({ SITE_WRITES: 'token' }),
  startApp({ SITE_WRITES: 'off' }),
])
const { admin, person, token: makeToken } = makersFor(token)
const ada = await admin({ name: 'ada' })
const boss = await makersFor(off).admin()
const writer = bearer(await makeToken(ada, 'write:misc'))

/** Every operation that changes news or media, with what it succeeds with. */
const writes = [
  ['POST /api/news', { body: { title: 'a', content: 'b' } }, 201],
  ['POST /api/media', { body: { title: 'a', media_type: 'image', url: 'u' } }, 201],
  ['PATCH /api/news/{id}', { params: { id: 1 }, body: { title: 'b' } }, 200],
  ['DELETE /api/news/{id}', { params: { id: 1 } }, 204],
  ['DELETE /api/media/{id}', { params: { id: 1 } }, 204],
] as const

test('with SITE_WRITES=open the audit trail has changes and removals by an unknown caller, and no publication', async () => {
  const app = await startApp({ SITE_WRITES: 'open' })
  for (const [literal, asked, status] of writes) assert.equal((await app.call(literal, asked)).status, status)
  assert.equal((await app.call('DELETE /api/news/{id}', { params: { id: 1 } })).status, 404)
  const trail = await app.pool`
    select action, actor_id, actor_name, target_name, address <> '' as has_address from forge.audit order by id`
  const entry = { actor_id: null, actor_name: 'unknown caller', has_address: true }
  assert.deepEqual(
    trail.map((row) => ({ ...row })),
    [
      { ...entry, action: 'news.changed', target_name: 'b' },
      { ...entry, action: 'news.removed', target_name: 'b' },
      { ...entry, action: 'media.removed', target_name: 'a' },
    ],
  )
})

async function countRows({ pool }: TestApp): Promise<number> {
  const [row] = await pool<[{ rows: number }]>`
    select (select count(*) from site.news_post) + (select count(*) from site.media_item) as rows`
  return row.rows
}

for (const [literal, asked, status] of writes) {
  test(`${literal} with SITE_WRITES=open is for everybody, with any credentials`, async () => {
    assert.equal((await open.call(literal, { ...asked, as: bearer('no token') })).status, status)
  })

  test(`${literal} with SITE_WRITES=token needs an access token`, async () => {
    const before = await countRows(token)
    for (const as of [undefined, { authorization: 'Negotiate x' }, basic('ada', samePassword)]) {
      const { status, body, headers } = await token.call(literal, { ...asked, ...(as && { as }) })
      assert.equal(status, 401)
      assert.deepEqual(body, { error: 'an access token is required to change the site' })
      assert.equal(headers.get('www-authenticate'), 'Bearer realm="Forgehall"')
      assert.equal(headers.get('access-control-allow-origin'), '*')
    }
    for (const as of [bearer('f'.repeat(40)), bearer('x'), basic('ada', 'wrong')]) {
      const { status, body } = await token.call(literal, { ...asked, as })
      assert.equal(status, 401)
      assert.deepEqual(body, { error: 'invalid username, password or token' })
    }
    assert.equal(await countRows(token), before)
  })

  test(`${literal} with SITE_WRITES=token needs the scope write:misc and an administrator`, async () => {
    const before = await countRows(token)
    const eve = await person()
    for (const [as, error] of [
      [bearer(await makeToken(ada, 'read:misc', 'write:admin')), /required=\[write:misc\]/],
      [bearer(await makeToken(eve, 'write:misc')), /^user should be the site admin$/],
      [eve, /^user should be the site admin$/],
    ] as const) {
      const { status, body } = await token.call(literal, { ...asked, as })
      assert.equal(status, 403)
      assert.match(body.error, error)
    }
    const asEve = await token.call(literal, { ...asked, as: ada, query: { sudo: eve.name } })
    assert.equal(asEve.status, 403)
    assert.equal(await countRows(token), before)
  })

  test(`${literal} with SITE_WRITES=token accepts a token with write:misc alone, and one with every scope`, async () => {
    const first = await token.call(literal, { ...asked, as: writer })
    assert.equal(first.status, status)
    const second = await token.call(literal, { ...asked, as: ada })
    assert.equal(second.status, status === 204 ? 404 : status)
  })

  test(`${literal} with SITE_WRITES=off is refused to everybody`, async () => {
    for (const as of [{}, { as: boss }]) {
      const { status, body } = await off.call(literal, { ...asked, ...as })
      assert.equal(status, 403)
      assert.deepEqual(body, { error: 'news and media cannot be changed on this server' })
    }
    assert.equal(await countRows(off), 0)
  })
}

test('the audit trail has each successful POST and DELETE of news and media with SITE_WRITES=token, and no failed one', async () => {
  const audit = async ({ call }: TestApp, as: typeof ada) =>
    (await call('GET /api/v1/admin/audit', { as })).body.entries
  const before = await audit(token, ada)
  const drafts = [
    ['news', { title: 'told', content: 'b' }],
    ['media', { title: 'shown', media_type: 'image', url: 'u' }],
  ] as const
  for (const [noun, body] of drafts) {
    const { id } = (await token.call(`POST /api/${noun}`, { as: writer, body })).body
    await token.call(`DELETE /api/${noun}/{id}`, { as: writer, params: { id } })
    await token.call(`DELETE /api/${noun}/{id}`, { as: writer, params: { id } })
    const [removed, published, ...older] = await audit(token, ada)
    const target = { kind: noun, id, name: body.title }
    assert.deepEqual([published.action, published.actor.name], [`${noun}.published`, 'ada'])
    assert.deepEqual([removed.action, removed.target, published.target], [`${noun}.removed`, target, target])
    assert.deepEqual(older.slice(-before.length), before)
  }
  assert.equal((await audit(token, ada)).length, before.length + 4)
})

test('POST /api/news of a foreign page may carry a token: the preflight allows the header', async () => {
  const { status, headers } = await fetch(`${token.url}/api/news`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://other.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
  assert.equal(status, 204)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.equal(headers.get('access-control-allow-headers'), 'authorization,content-type')
  assert.equal(headers.get('access-control-allow-credentials'), null)
})

test('reads and sessions of visitors stay open with every SITE_WRITES', async () => {
  for (const { call } of [token, off]) {
    for (const literal of ['GET /api/news', 'GET /api/media', 'GET /api/stats/overview', 'GET /api/health'])
      assert.equal((await call(literal)).status, 200)
    const started = await call('POST /api/stats/session/start', { body: { username: 'visitor' } })
    assert.equal(started.status, 201)
    const { sessionId } = started.body
    assert.equal((await call('POST /api/stats/session/end', { body: { sessionId } })).status, 204)
  }
})

test('GET /api/openapi.json lists refusals only for operations that have them, and describes tokens', async () => {
  const statuses = async ({ call }: TestApp) => {
    const { body } = await call('GET /api/openapi.json')
    const schemes = body.components.securitySchemes
    return {
      of: Object.keys(body.paths['/api/news'].post.responses).join(),
      schemes: Object.keys(schemes),
    }
  }
  assert.deepEqual(await statuses(open), { of: '201,400,409,422', schemes: ['BearerToken'] })
  assert.deepEqual(await statuses(token), { of: '201,400,401,403,409,422,429', schemes: ['BearerToken'] })
  assert.deepEqual(await statuses(off), { of: '201,400,403,409,422', schemes: ['BearerToken'] })
})

test('SITE_WRITES is open, token or off', () => {
  assert.deepEqual(configure({ SITE_WRITES: 'closed' }), {
    faults: ['SITE_WRITES must be open, token or off'],
  })
})
