import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOT_NAME } from '../../../src/actions/run/bot.ts'
import { hashToken } from '../../../src/forge/auth/token.ts'
import { startApp } from '../../support/app.ts'
import { basic, bearer } from '../../support/forge/make.ts'
import { creating, inBasic, listing, removing, tokenCalls } from '../../support/forge/tokens.ts'
import { until } from '../../support/wait.ts'

const { call, pool, clock, url, make } = await startApp()

const boss = await make.admin({ name: 'Boss' })
const [ada, bob] = await make.people('Ada', 'bob')

const removingOwn = 'DELETE /api/v1/token'

const { list, create, remove, namesOf } = tokenCalls({ call, pool })
const deeds = async (action: string) => {
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { action } })
  return body.entries
}

test(`${creating} shows the token once, and it works as far as its scopes reach`, async () => {
  const { status, body } = await create(
    'ada',
    { name: 'laptop', scopes: ['write:user', 'read:user'] },
    basic('ada'),
  )
  assert.equal(status, 201)
  assert.match(body.sha1, /^[0-9a-f]{40}$/)
  assert.deepEqual(body, {
    id: body.id,
    name: 'laptop',
    sha1: body.sha1,
    token_last_eight: body.sha1.slice(-8),
    scopes: ['write:user'],
    created_at: '0001-01-01T00:00:00Z',
    last_used_at: '0001-01-01T00:00:00Z',
    expires_at: null,
  })
  const [stored] = await pool`select hash, scopes from forge.access_token where id = ${body.id}`
  assert.deepEqual({ ...stored }, { hash: hashToken(body.sha1), scopes: 'write:user' })
  assert.equal((await call('GET /api/v1/user', { as: bearer(body.sha1) })).body.login, 'Ada')
  assert.equal((await call('GET /api/v1/admin/users', { as: bearer(body.sha1) })).status, 403)
})

test(`${creating} makes none for whom Actions acts as`, async () => {
  const { status, body } = await create(BOT_NAME, { name: 'mine', scopes: ['all'] }, basic('Boss'))
  assert.deepEqual([status, body.message], [422, `${BOT_NAME} is whom Actions acts as: it stays as it is`])
})

test(`${listing} shows the newest first, without tokens, in pages with totals`, async () => {
  const eve = await make.person({ name: 'eve' })
  const { body: older } = await create('eve', { name: 'older', scopes: ['all'] }, basic('eve'))
  const { body: newer } = await create('eve', { name: 'newer', scopes: ['public-only', 'all'] }, basic('eve'))
  const { body, headers } = await list('EVE', basic('eve'), { limit: 2 })
  const shown = { sha1: '', created_at: '2026-01-31T08:00:00Z', last_used_at: '2026-01-31T08:00:00Z' }
  assert.deepEqual(body, [
    { ...newer, ...shown },
    { ...older, ...shown },
  ])
  assert.deepEqual(newer.scopes, ['public-only', 'all'])
  assert.equal(headers.get('x-total-count'), '3')
  assert.deepEqual(
    (await list('eve', basic('eve'), { limit: 2, page: 2 })).body.map((each: { name: string }) => each.name),
    ['first'],
  )
  const beyond = await list('eve', basic('eve'), { page: 9 })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '3'])
  assert.equal((await list('eve', basic('eve'), { page: 0, limit: 0 })).body.length, 3)
  assert.ok(!JSON.stringify(body).includes(eve.token))
})

test(`${listing} shows when a token was last used`, async () => {
  const mia = await make.person({ name: 'mia' })
  clock.tick(3_600_000)
  await call('GET /api/v1/user', { as: mia })
  await until('the use is noted', async () => {
    const [row] = await pool`select last_used_at from forge.access_token where account_id = ${mia.id}`
    return row?.last_used_at
  })
  const [token] = (await list('mia', basic('mia'))).body
  assert.deepEqual([token.created_at, token.last_used_at], ['2026-01-31T08:00:00Z', '2026-01-31T09:00:00Z'])
  clock.tick(-3_600_000)
})

test(`${creating} reads the form of older clients`, async () => {
  const response = await fetch(`${url}/api/v1/users/ada/tokens`, {
    method: 'POST',
    headers: { ...basic('ada'), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=by+form&scopes=read:user&scopes=read:issue',
  })
  assert.equal(response.status, 201)
  const { scopes } = (await response.json()) as { scopes: string[] }
  assert.deepEqual(scopes, ['read:issue', 'read:user'])
})

test(`${creating} refuses what cannot be a token, and makes none`, async () => {
  const before = await namesOf(ada)
  for (const [body, status, message] of [
    [{}, 422, '[Name]: Required'],
    [{ scopes: ['all'] }, 422, '[Name]: Required'],
    [{ name: '', scopes: ['all'] }, 422, '[Name]: Required'],
    [{ name: null, scopes: ['all'] }, 422, '[Name]: Required'],
    [{ name: 7, scopes: ['all'] }, 422, '[]: cannot read name: expected string'],
    [{ name: 'x', scopes: 'all' }, 422, '[]: cannot read scopes: expected Array'],
    [{ name: 'x', scopes: [1] }, 422, '[]: cannot read scopes.0: expected string'],
    [{ name: 'laptop', scopes: ['all'] }, 400, 'access token name has been used already'],
    [{ name: 'x' }, 400, 'access token must have a scope'],
    [{ name: 'x', scopes: null }, 400, 'access token must have a scope'],
    [{ name: 'x', scopes: ['', ','] }, 400, 'access token must have a scope'],
    [{ name: 'x', scopes: ['read:user', 'sudo'] }, 400, 'invalid access token scope provided: sudo'],
    [{ name: 'x', scopes: ['READ:USER'] }, 400, 'invalid access token scope provided: READ:USER'],
    ['', 422, '[]: unexpected end of JSON input'],
    [[], 422, '[]: the body is no JSON object'],
  ] as const) {
    const answered = await create('ada', body, basic('ada'))
    assert.deepEqual([answered.status, answered.body.message], [status, message], JSON.stringify(body))
  }
  assert.ok(
    [400, 422].includes((await create('ada', { name: 'a\0b', scopes: ['all'] }, basic('ada'))).status),
  )
  assert.equal((await create('ada', '{"name":', basic('ada'))).status, 422)
  assert.deepEqual(await namesOf(ada), before)
})

test(`${creating} accepts any text as name, and names are unique per user`, async () => {
  for (const name of ['laptop', "'; drop table x; --", '%_\\', ' ', 'ж'.repeat(5000), 'a\r\nb']) {
    assert.equal((await create('bob', { name, scopes: ['read:user'] }, basic('bob'))).status, 201)
    assert.equal((await create('bob', { name, scopes: ['read:user'] }, basic('bob'))).status, 400)
  }
})

test(`${creating} lets no token make one that may do more than itself`, async () => {
  const narrow = inBasic(await make.token(ada, 'write:user', 'read:issue'))
  const broader = 'cannot create an access token with a broader scope than the authenticating token'
  for (const scopes of [['all'], ['write:issue'], ['write:user', 'read:admin']]) {
    const { status, body } = await create('ada', { name: 'broad', scopes }, narrow)
    assert.deepEqual([status, body.message], [403, broader])
  }
  assert.equal(
    (await create('ada', { name: 'equal', scopes: ['write:user', 'read:issue'] }, narrow)).status,
    201,
  )
  const limited = inBasic(await make.token(ada, 'public-only', 'write:user'))
  const { status, body } = await create('ada', { name: 'handed down', scopes: ['read:user'] }, limited)
  assert.deepEqual([status, body.scopes], [201, ['public-only', 'read:user']])
  const ofBoss = bearer(await make.token(boss, 'write:user'))
  assert.equal((await create('ada', { name: 'by boss', scopes: ['all'] }, ofBoss)).status, 403)
})

test(`${removing} accepts an id or a name; an unknown one is 404`, async () => {
  const zoe = await make.person({ name: 'zoe' })
  const made = async (name: string): Promise<number> =>
    (await create('zoe', { name, scopes: ['all'] }, basic('zoe'))).body.id
  const one = await made('one')
  await made('two words/%')
  const hex = await made('0x')
  const octal = await made('octal')
  const answers = [
    await remove('zoe', one, basic('zoe')),
    await remove('zoe', 'two words/%', basic('zoe')),
    await remove('zoe', `0x${hex.toString(16)}`, basic('zoe')),
    await remove('zoe', `0${octal.toString(8)}`, basic('zoe')),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    answers.map(() => [204, undefined]),
  )
  assert.deepEqual(await namesOf(zoe), ['first'])
  const [foreign] = await pool`select id from forge.access_token where account_id = ${bob.id} limit 1`
  for (const [token, message] of [
    [one, 'access token not found'],
    [foreign?.id, 'access token not found'],
    ['-1', 'access token not found'],
    ['9'.repeat(30), 'access token not found'],
    ['one', 'not found'],
    ['FIRST', 'not found'],
    ['firs_', 'not found'],
    ["' or true --", 'not found'],
    ['a\0b', 'not found'],
  ] as const) {
    const { status, body } = await remove('zoe', token, basic('zoe'))
    assert.deepEqual([status, body.message], [404, message])
  }
  assert.deepEqual(await namesOf(zoe), ['first'])
})

test(`${removing} ends a token at once`, async () => {
  const { body } = await create('bob', { name: 'short-lived', scopes: ['all'] }, basic('bob'))
  const as = bearer(body.sha1)
  assert.equal((await call('GET /api/v1/user', { as })).status, 200)
  assert.equal((await remove('bob', body.id, basic('bob'))).status, 204)
  assert.equal((await call('GET /api/v1/user', { as })).status, 401)
})

test(`${creating}, ${removing} and ${removingOwn} leave rows in the audit trail, and no secret in them`, async () => {
  const tim = await make.person({ name: 'tim' })
  const { body } = await create('tim', { name: 'seen', scopes: ['read:user', 'read:issue'] }, boss)
  await remove('tim', body.id, basic('tim'))
  await call(removingOwn, { as: tim })
  const [created] = await deeds('token.created')
  const [second, first] = await deeds('token.deleted')
  const target = { kind: 'user', id: tim.id, name: 'tim' }
  assert.deepEqual(
    [created, first, second].map((deed) => [deed.actor.name, deed.target, deed.details]),
    [
      ['Boss', target, { token: 'seen', scopes: 'read:issue,read:user' }],
      ['tim', target, { token: 'seen' }],
      ['tim', target, { token: 'first' }],
    ],
  )
  const rows = JSON.stringify([created, first, second])
  for (const secret of [body.sha1, body.token_last_eight, tim.token]) assert.ok(!rows.includes(secret))
  const refused = (await deeds('token.created')).length
  await create('tim', { name: 'seen', scopes: ['nonsense'] }, boss)
  assert.equal((await deeds('token.created')).length, refused)
})

test(`${creating}: of many of one name at once one is made`, async () => {
  const name = 'wanted'
  const many = await Promise.all(
    Array.from({ length: 6 }, () => create('ada', { name, scopes: ['all'] }, boss)),
  )
  const statuses = many.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, 400, 400, 400, 400, 400])
  assert.equal((await namesOf(ada)).filter((each) => each === name).length, 1)
})

test(`${removing}: of many at once one revokes, and there is one row of it`, async () => {
  const { body } = await create('ada', { name: 'contested', scopes: ['all'] }, boss)
  const many = await Promise.all(
    [body.id, 'contested', body.id, 'contested'].map((each) => remove('ada', each, boss)),
  )
  assert.deepEqual(many.map(({ status }) => status).sort(), [204, 404, 404, 404])
  const deletions = (await deeds('token.deleted')).filter(
    (deed: { details: { token: string } }) => deed.details.token === 'contested',
  )
  assert.equal(deletions.length, 1)
})

test(`${creating} while the user is deleted: both end cleanly, and no token is left`, async () => {
  for (let round = 0; round < 5; round++) {
    const username = `leaving-${round}`
    const { id } = await make.person({ name: username })
    const [made, gone] = await Promise.all([
      create(username, { name: 'late', scopes: ['all'] }, boss),
      call('DELETE /api/v1/admin/users/{username}', { params: { username }, as: boss }),
    ])
    assert.ok(made.status === 201 || made.status === 404, String(made.status))
    assert.equal(gone.status, 204)
    assert.deepEqual(await namesOf({ id }), [])
  }
})
