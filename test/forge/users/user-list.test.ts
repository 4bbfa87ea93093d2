import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { USER_SORTS } from '../../../src/forge/accounts/user-list-store.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({
  name: 'Ada',
  full_name: 'Countess Lovelace',
  email: 'ada@analytical.example',
})

const literal = 'GET /api/v1/admin/users'
const list = (query: Record<string, string | number> = {}, as: { authorization: string } = boss) =>
  call(literal, { as, query })
const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login)
const total = ({ headers }: { headers: Headers }) => headers.get('x-total-count')

before(async () => {
  for (const at of [3, 1, 2]) {
    clock.tick(1000)
    await make.person({
      name: `row${at}`,
      full_name: `Number ${at}`,
      visibility: at === 2 ? 'private' : 'limited',
    })
  }
  await make.bot({ name: 'robot' })
  await make.organization(ada, { name: 'guild' })
})

test(`${literal} lists people by name with everything of them, and neither bots nor organizations`, async () => {
  const answer = await list()
  assert.equal(answer.status, 200)
  assert.deepEqual(logins(answer), ['Ada', 'boss', 'row1', 'row2', 'row3'])
  assert.equal(total(answer), '5')
  assert.equal(answer.headers.get('link'), null)
  assert.equal(answer.body[0].email, 'ada@analytical.example')
  assert.equal(answer.body[0].active, true)
})

test(`${literal}?type=bot lists bots, without that of Actions, under the same filters`, async () => {
  const bots = await list({ type: 'bot' })
  assert.deepEqual([logins(bots), total(bots), bots.body[0].type], [['robot'], '1', 'Bot'])
  assert.deepEqual(logins(await list({ type: 'bot', q: 'ROB' })), ['robot'])
  assert.deepEqual(logins(await list({ type: 'bot', q: 'row' })), [])
  assert.deepEqual(logins(await list({ type: 'bot', is_active: 'false' })), [])
  assert.deepEqual(logins(await list({ type: 'user' })), logins(await list()))
})

for (const [sort, expected] of [
  ['name', ['Ada', 'boss', 'row1', 'row2', 'row3']],
  ['id', ['boss', 'Ada', 'row3', 'row1', 'row2']],
  ['created', ['boss', 'Ada', 'row3', 'row1', 'row2']],
  ['updated', ['boss', 'Ada', 'row3', 'row1', 'row2']],
] as const) {
  test(`${literal} sorts by ${sort} in both orders`, async () => {
    assert.deepEqual(logins(await list({ sort })), expected)
    assert.deepEqual(logins(await list({ sort, order: 'asc' })), expected)
    assert.deepEqual(logins(await list({ sort, order: 'desc' })), [...expected].reverse())
  })
}

test(`${literal} without a sort ignores the order`, async () => {
  assert.deepEqual(logins(await list({ order: 'desc' }))[0], 'Ada')
  assert.deepEqual(logins(await list({ sort: '', order: 'desc' }))[0], 'Ada')
})

test(`${literal} refuses an unknown sort, order and visibility`, async () => {
  for (const [query, message] of [
    [{ sort: 'name', order: 'up' }, 'order: must be one of asc, desc'],
    [{ order: 'zzz' }, 'order: must be one of asc, desc'],
    [{ sort: 'toString', order: 'asc' }, `sort: must be one of ${USER_SORTS.join(', ')}`],
    [{ sort: 'name; drop table forge.account' }, `sort: must be one of ${USER_SORTS.join(', ')}`],
    [{ visibility: 'all' }, 'visibility: must be one of public, limited, private'],
  ] as const) {
    const { status, body } = await list(query)
    assert.equal(status, 422)
    assert.equal(body.message, message)
  }
})

test(`${literal} narrows by every filter, and the total follows`, async () => {
  await make.person({ name: 'f-idle' })
  await make.person({ name: 'f-restricted', is_restricted: true })
  await make.person({ name: 'f-banned', source_id: 4, login_name: 'cn=banned' })
  await pool`update forge.account set is_active = false where name = 'f-idle'`
  await pool`update forge.account set prohibit_login = true where name = 'f-banned'`
  await pool`
    insert into forge.totp (account_id, secret, created_at)
    select id, ${Buffer.alloc(20)}, created_at from forge.account where name = 'f-restricted'`
  for (const [query, expected] of [
    [{ is_active: 'false' }, ['f-idle']],
    [{ is_active: 'maybe' }, ['f-idle']],
    [{ is_admin: 'true' }, ['boss']],
    [{ is_admin: '1', visibility: 'private' }, []],
    [{ is_restricted: 'on' }, ['f-restricted']],
    [{ is_2fa_enabled: 'true', sort: 'created' }, ['f-restricted']],
    [{ is_prohibit_login: 'T' }, ['f-banned']],
    [{ visibility: 'private' }, ['row2']],
    [{ visibility: 'limited' }, ['row1', 'row3']],
    [{ source_id: 4 }, ['f-banned']],
    [{ source_id: 5 }, []],
    [{ login_name: ' cn=banned ' }, ['f-banned']],
    [{ login_name: 'cn=' }, []],
    [{ login_name: 'cn\0' }, []],
    [{ q: 'row\0' }, []],
    [{ q: 'x'.repeat(4000) }, []],
    [{ q: 'f-', is_active: 'true', is_restricted: 'false' }, ['f-banned']],
    [{ q: ' LOVELACE ' }, ['Ada']],
    [{ q: 'analytical' }, ['Ada']],
    [{ q: 'number', sort: 'id', order: 'desc' }, ['row2', 'row1', 'row3']],
    [{ q: 'row_' }, ['row1', 'row2', 'row3']],
    [{ q: 'ow%' }, []],
    [{ q: 'row%' }, ['row1', 'row2', 'row3']],
    [{ q: "'; --" }, []],
    [{ q: '\\' }, []],
  ] as const) {
    const answer = await list(query)
    assert.deepEqual(logins(answer), expected, JSON.stringify(query))
    assert.equal(total(answer), String(expected.length), JSON.stringify(query))
  }
  for (const query of [{ source_id: 0 }, { source_id: -4 }, { is_admin: '' }, { q: '%' }]) {
    assert.equal(total(await list(query)), '8', JSON.stringify(query))
  }
  await pool`delete from forge.account where name like 'f-%'`
})

test(`${literal} pages, with links that keep the query`, async () => {
  const second = await list({ page: 2, limit: 2, sort: 'id' })
  assert.deepEqual(logins(second), ['row3', 'row1'])
  const at = 'https://forgehall.example/api/v1/admin/users?limit=2&page='
  assert.equal(
    second.headers.get('link'),
    `<${at}3&sort=id>; rel="next",<${at}3&sort=id>; rel="last",<${at}1&sort=id>; rel="first",<${at}1&sort=id>; rel="prev"`,
  )
  const beyond = await list({ page: 9999999999, limit: 2 })
  assert.deepEqual([beyond.status, beyond.body, total(beyond)], [200, [], '5'])
  for (const query of [
    { page: 0, limit: 0 },
    { page: -3, limit: -1 },
    { page: 'x', limit: 'y' },
    { page: '1e3', limit: '' },
    { page: '9'.repeat(40), limit: 1000 },
  ]) {
    const { status } = await list(query)
    assert.equal(status, 200, JSON.stringify(query))
  }
})

test(`${literal} answers callers who ask at the same time each for themselves`, async () => {
  const second = await make.admin({ name: 'zz-second' })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => list({}, at % 2 ? boss : second)))
  for (const answer of answers) assert.equal(logins(answer).length, 6)
  await pool`delete from forge.account where name = 'zz-second'`
})

test(`${literal} is for administrators alone`, async () => {
  assert.equal((await call(literal)).status, 401)
  assert.equal((await list({}, ada)).status, 403)
  assert.equal((await list({ sort: 'x' }, ada)).body.message, 'user should be the site admin')
  const scoped = await list({}, bearer(await make.token(boss, 'write:user', 'read:organization')))
  assert.equal(scoped.status, 403)
  assert.match(scoped.body.message, /required=\[read:admin\]/)
  assert.equal((await list({}, bearer(await make.token(boss, 'read:admin')))).status, 200)
  assert.equal((await list({ sudo: 'ada' })).status, 403)
})

const byName = (one: string, other: string) => one.localeCompare(other)

const searching = 'GET /api/v1/users/search'
const search = async (query: Record<string, string | number>, as?: { authorization: string }) => {
  const { status, body, headers } = await call(searching, { query, ...(as && { as }) })
  assert.equal(status, 200)
  assert.equal(body.ok, true)
  const found = body.data.map(({ login }: { login: string }) => login)
  assert.equal(headers.get('x-total-count'), String(found.length))
  return found
}

test(`${searching} finds those whom the caller may see`, async () => {
  const restricted = await make.person({ name: 'strict', is_restricted: true })
  assert.deepEqual(await search({ q: 'row' }), [])
  assert.deepEqual(await search({ q: 'row' }, ada), ['row1', 'row3'])
  assert.deepEqual(await search({ q: 'row' }, restricted), [])
  assert.deepEqual(await search({ q: 'row' }, bearer(await make.token(ada, 'public-only', 'all'))), [])
  assert.deepEqual(await search({ q: 'row' }, boss), ['row1', 'row2', 'row3'])
  assert.deepEqual(await search({}), ['Ada', 'boss', 'strict'])
  assert.deepEqual(await search({ q: 'guild' }, boss), [], 'no organizations')
})

test(`${searching} shows a restricted user only itself`, async () => {
  const strict = await make.person({ name: 'strict2', is_restricted: true, visibility: 'private' })
  for (const query of [{}, { q: 'a' }, { q: 'ada' }, { q: 'Lovelace' }, { q: 'example' }, { uid: ada.id }])
    assert.deepEqual(
      (await search(query, strict)).filter((name: string) => name !== 'strict2'),
      [],
    )
  for (const query of [{}, { q: 'strict' }, { q: 'st' }, { uid: strict.id }])
    assert.deepEqual(await search(query, strict), ['strict2'], JSON.stringify(query))
  const outside = bearer(await make.token(strict, 'public-only', 'all'))
  assert.deepEqual(await search({}, outside), [])
  await pool`delete from forge.account where id = ${strict.id}`
})

test(`${searching} does not find users by an address that the caller may not see`, async () => {
  const shy = await make.person({ name: 'shy', email: 'hidden-nook@example.net' })
  assert.deepEqual(await search({ q: 'hidden-nook' }), [])
  assert.deepEqual(await search({ q: 'hidden-nook' }, ada), ['shy'])
  await pool`update forge.account set hides_email = true where id = ${shy.id}`
  assert.deepEqual(await search({ q: 'hidden-nook' }, ada), [])
  assert.deepEqual(await search({ q: '-n' }, ada), [], 'nor by two characters of it')
  assert.deepEqual(await search({ q: 'hidden-nook' }, boss), ['shy'])
})

test(`${searching} shows callers themselves, whatever they hide from others`, async () => {
  const lone = await make.person({ name: 'lone', visibility: 'private', email: 'burrow@example.net' })
  await pool`update forge.account set hides_email = true where id = ${lone.id}`
  for (const query of [{ q: 'lone' }, { q: 'lo' }, { q: 'burrow' }, { uid: lone.id }]) {
    assert.deepEqual(await search(query, lone), ['lone'], JSON.stringify(query))
    assert.deepEqual(await search(query, ada), [], JSON.stringify(query))
  }
  const others = await search({}, ada)
  assert.deepEqual(await search({}, lone), [...others, 'lone'].sort(byName))
  assert.deepEqual(await search({ uid: ada.id }, lone), ['Ada'])
  assert.deepEqual(await search({ q: 'hidden-nook' }, lone), [])
  const outside = bearer(await make.token(lone, 'public-only', 'all'))
  assert.deepEqual(await search({ q: 'lone' }, outside), [])
  await pool`delete from forge.account where id = ${lone.id}`
})

test(`${searching} finds a user by id, and none by an unknown id`, async () => {
  assert.deepEqual(await search({ uid: ada.id }), ['Ada'])
  assert.deepEqual(await search({ uid: ada.id, q: 'lovelace' }), ['Ada'])
  assert.deepEqual(await search({ uid: ada.id, q: 'somebody else' }), [])
  const everyone = await search({}, boss)
  for (const uid of [0, '']) assert.deepEqual(await search({ uid }, boss), everyone)
  for (const uid of [-1, 123456, Number.MAX_SAFE_INTEGER]) assert.deepEqual(await search({ uid }, boss), [])
})

test(`${searching} pages`, async () => {
  const { body, headers } = await call(searching, { as: boss, query: { q: 'row', limit: 2, page: 2 } })
  assert.deepEqual(
    body.data.map(({ login }: { login: string }) => login),
    ['row3'],
  )
  assert.equal(headers.get('x-total-count'), '3')
  assert.match(headers.get('link') ?? '', /page=1&q=row>; rel="prev"$/)
})

test(`${searching} needs the scope of users from a token`, async () => {
  const { status } = await call(searching, { as: bearer(await make.token(ada, 'read:organization')) })
  assert.equal(status, 403)
})
