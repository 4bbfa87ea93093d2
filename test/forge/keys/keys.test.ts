import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageOfKeys } from '../../../src/forge/ssh-keys/key-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { ACCEPTED, DSA_LINE, RSA_2048 } from '../../support/forge/ssh-key.fixtures.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'
import { plansOf } from '../../support/plans.ts'

const { call, pool, clock, database, make } = await startApp()
const boss = await make.admin({ name: 'boss' })

const POST = 'POST /api/v1/admin/users/{username}/keys'
const DELETE = 'DELETE /api/v1/admin/users/{username}/keys/{id}'
const POST_OWN = 'POST /api/v1/user/keys'
const DELETE_OWN = 'DELETE /api/v1/user/keys/{id}'
const GET_OWN = 'GET /api/v1/user/keys/{id}'
const LIST_OWN = 'GET /api/v1/user/keys'
const LIST = 'GET /api/v1/users/{username}/keys'

const add = (username: string, body: unknown, as: { authorization: string } = boss) =>
  call(POST, { as, params: { username }, body })
const remove = (username: string, id: string | number, as: { authorization: string } = boss) =>
  call(DELETE, { as, params: { username, id } })
const own = (as: Somebody, title: string, key = newKeyLine()) => call(POST_OWN, { as, body: { title, key } })
const keysLeft = async (owner: Somebody) =>
  (await pool`select title from forge.ssh_key where account_id = ${owner.id} order by id`).map(
    ({ title }) => title,
  )
const deeds = async (name: string) =>
  (
    await pool`select action, details from forge.audit where target_name = ${name} and action like 'key.%' order by id`
  ).map(({ action, details }) => ({ action, details }))

for (const fixture of ACCEPTED) {
  test(`${POST} takes ${fixture.type} ${fixture.bits} as a line, as RFC 4716 and as PEM, each time as the same key`, async () => {
    const owner = await make.person()
    for (const key of [`${fixture.line}\n`, fixture.ssh2, ...fixture.pem]) {
      const { status, body } = await add(owner.name, { title: 'laptop', key })
      assert.equal(status, 201)
      assert.equal(body.fingerprint, fixture.sha256)
      assert.ok(fixture.line.startsWith(body.key))
      assert.equal((await remove(owner.name, body.id)).status, 204)
    }
    assert.deepEqual(await keysLeft(owner), [])
  })
}

test(`${POST} answers with the key and its owner, and leaves a row in the audit trail`, async () => {
  const ada = await make.person({ name: 'Ada', login_name: 'cn=ada' })
  const [key] = ACCEPTED
  const { status, body } = await add('ada', { title: 'laptop', key: key?.line, read_only: true })
  assert.equal(status, 201)
  const { user, ...rest } = body
  assert.deepEqual(rest, {
    id: body.id,
    key: key?.line,
    url: `https://forgehall.example/api/v1/user/keys/${body.id}`,
    title: 'laptop',
    fingerprint: key?.sha256,
    created_at: '2026-01-31T08:00:00Z',
    last_used_at: '2026-01-31T08:00:00Z',
    read_only: false,
    key_type: 'user',
  })
  assert.equal(user.login, 'Ada')
  assert.equal(user.login_name, 'cn=ada')
  assert.equal(user.email, ada.email)
  const details = { id: body.id, title: 'laptop', fingerprint: key?.sha256 }
  assert.deepEqual(await deeds('Ada'), [{ action: 'key.added', details }])
  const [row] =
    await pool`select actor_name, target_kind, target_id, address from forge.audit where action = 'key.added'
    and target_name = 'Ada'`
  assert.deepEqual(
    { ...row },
    { actor_name: 'boss', target_kind: 'user', target_id: ada.id, address: '127.0.0.1' },
  )
  assert.equal((await remove('Ada', body.id)).status, 204)
  assert.deepEqual((await deeds('Ada'))[1], { action: 'key.removed', details })
})

test(`${POST} reads a form too`, async () => {
  const owner = await make.person()
  const { status, body } = await call(POST, {
    as: boss,
    params: { username: owner.name },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ title: 'from a form', key: `${newKeyLine('me')}\n` }).toString(),
  })
  assert.equal(status, 201)
  assert.equal(body.title, 'from a form')
})

test(`${POST} refuses what is no key or may be none, and stores nothing`, async () => {
  const owner = await make.person()
  const pem =
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----'
  for (const [key, message] of [
    ['', '[Key]: Required'],
    [null, '[Key]: Required'],
    [undefined, '[Key]: Required'],
    ['hello', /^Invalid key content: /],
    [pem, /^Invalid key content: this is a private key/],
    [`${newKeyLine()}\n${newKeyLine()}`, /^Invalid key content: there is more than one key/],
    [`${newKeyLine('x')}\n`.repeat(200), /^Invalid key content: /],
    [
      'ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIFMia7Qt+5pQ5xBplLV+TbP9I53h6Y/SkNI9Vn4NNV3g',
      /^Invalid key content: /,
    ],
    [RSA_2048.line, 'Invalid key content: key length is not enough: got 2048, needs 3071'],
    [DSA_LINE, 'Invalid key content: key type is not allowed: dsa'],
    [`command="sh" ${newKeyLine()}`, /^Invalid key content: options/],
  ] as const) {
    const { status, body } = await add(owner.name, { title: 'laptop', key })
    assert.equal(status, 422, String(key))
    if (typeof message === 'string') assert.equal(body.message, message)
    else assert.match(body.message, message)
    assert.ok(!body.message.includes('b3Blb'), 'nothing of a private key comes back')
  }
  assert.deepEqual([await keysLeft(owner), await deeds(owner.name)], [[], []])
})

test(`${POST} rejects an unknown kind of key`, async () => {
  const owner = await make.person()
  const blob = Buffer.from('\0\0\0\x0assh-future\0\0\0\x04abcd', 'latin1').toString('base64')
  const { status, body } = await add(owner.name, { title: 'x', key: `ssh-future ${blob}` })
  assert.deepEqual([status, body.message], [422, 'Unable to verify key content'])
})

test(`${POST} refuses broken bodies`, async () => {
  const owner = await make.person()
  const key = newKeyLine()
  for (const body of [
    { title: '', key },
    { title: null, key },
    { title: 7, key },
    { title: ['a'], key },
    { title: 'a', key: 7 },
    { title: 'a', key: [key] },
    { title: 'a', key: { key } },
    { title: 'a', key, read_only: 'yes' },
    { title: 'a\0b', key },
    [],
    'null',
    '{"title":"a","title":"b"}',
    '{',
  ]) {
    const answer = await add(owner.name, body)
    assert.equal(answer.status, 422, JSON.stringify(body))
  }
  const empty = await call(POST, {
    as: boss,
    params: { username: owner.name },
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(empty.status, 422)
  assert.deepEqual(await keysLeft(owner), [])
})

test(`${POST} refuses a key that any account has, and a title of the same owner; the key is reported first`, async () => {
  const [ada, bob] = [await make.person(), await make.person()]
  const key = newKeyLine('first')
  assert.equal((await add(ada.name, { title: 'laptop', key })).status, 201)
  const again = key.replace('first', 'second')
  for (const [owner, title] of [
    [ada, 'laptop'],
    [ada, 'desktop'],
    [bob, 'laptop'],
  ] as const) {
    const { status, body } = await add(owner.name, { title, key: again })
    assert.deepEqual([status, body.message], [422, 'Key content has been used as non-deploy key'])
  }
  const { status, body } = await add(ada.name, { title: 'laptop', key: newKeyLine() })
  assert.deepEqual([status, body.message], [422, 'Key title has been used'])
  assert.equal((await add(ada.name, { title: 'Laptop', key: newKeyLine() })).status, 201)
  assert.equal((await add(bob.name, { title: 'laptop', key: newKeyLine() })).status, 201)
  assert.equal((await add(bob.name, { title: 'l'.repeat(20_000), key: newKeyLine() })).status, 201)
  assert.equal((await deeds(ada.name)).length, 2)
})

test(`${POST} of one key by many concurrently: one succeeds, the others get the error`, async () => {
  const key = newKeyLine()
  const owners = await Promise.all([1, 2, 3, 4, 5, 6].map(() => make.person()))
  const answers = await Promise.all(owners.map(({ name }) => add(name, { title: 'race', key })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422, 422])
  assert.equal((await pool`select id from forge.ssh_key where title = 'race'`).length, 1)
})

test(`${POST} while the owner is deleted leaves no key without an owner`, async () => {
  for (let round = 0; round < 5; round++) {
    const owner = await make.person()
    const [added] = await Promise.all([
      add(owner.name, { title: 'late', key: newKeyLine() }),
      call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: owner.name } }),
    ])
    assert.ok([201, 404].includes(added.status), String(added.status))
    assert.deepEqual(await keysLeft(owner), [])
  }
})

test(`${POST} is for bots too, not for organizations; an unknown user is 404, for any body`, async () => {
  const robot = await make.bot()
  assert.equal((await add(robot.name, { title: 'ci', key: newKeyLine() })).status, 201)
  const guild = await make.organization(boss)
  const refused = await add(guild.name, { title: 'ci', key: newKeyLine() })
  assert.deepEqual([refused.status, refused.body.message], [422, 'target is an organization but not user'])
  const nobody = await add('Nobody', '{')
  assert.deepEqual([nobody.status, nobody.body.message], [404, 'user redirect does not exist [name: nobody]'])
})

test(`${POST} and ${DELETE} follow a rename`, async () => {
  const owner = await make.person({ name: 'before' })
  await call('POST /api/v1/admin/users/{username}/rename', {
    as: boss,
    params: { username: 'before' },
    body: { new_username: 'afterwards' },
  })
  const moved = await add(owner.name, { title: 'a', key: newKeyLine() })
  assert.deepEqual(
    [moved.status, moved.headers.get('location')],
    [307, '/api/v1/admin/users/afterwards/keys'],
  )
  const also = await remove(owner.name, 5)
  assert.equal(also.headers.get('location'), '/api/v1/admin/users/afterwards/keys/5')
})

test(`${POST} and ${DELETE} are for administrators alone`, async () => {
  const ada = await make.person()
  const { body } = await add(ada.name, { title: 'mine', key: newKeyLine() })
  const readOnly = bearer(await make.token(boss, 'read:admin'))
  const other = bearer(await make.token(boss, 'write:user'))
  for (const as of [ada, readOnly, other]) {
    assert.equal((await add(ada.name, { title: 'b', key: newKeyLine() }, as)).status, 403)
    assert.equal((await add('nobody', {}, as)).status, 403)
    assert.equal((await remove(ada.name, body.id, as)).status, 403)
  }
  const params = { username: ada.name, id: body.id }
  assert.equal((await call(POST, { params: { username: ada.name }, body: {} })).status, 401)
  assert.equal((await call(DELETE, { params })).status, 401)
  assert.deepEqual(await keysLeft(ada), ['mine'])
})

test(`${DELETE} deletes keys of the user in the path, or of anybody if that user is an administrator`, async () => {
  const [ada, bob] = [await make.person(), await make.person()]
  const { body } = await own(ada, 'a')
  const foreign = await remove(bob.name, body.id)
  assert.deepEqual([foreign.status, foreign.body.message], [403, 'You do not have access to this key'])
  assert.deepEqual(await keysLeft(ada), ['a'])
  assert.equal((await remove('boss', body.id)).status, 204)
  const gone = await remove(ada.name, body.id)
  assert.deepEqual([gone.status, gone.body.message], [404, 'not found'])
  for (const id of [0, -1, 'x', '1e3', '99999999999999999999', 987654321, '7;']) {
    assert.equal((await remove(ada.name, id)).status, 404, String(id))
  }
  assert.equal((await remove('nobody', body.id)).status, 404)
  assert.deepEqual(
    (await deeds(ada.name)).map(({ action }) => action),
    ['key.added', 'key.removed'],
  )
})

test(`${DELETE} by many at once: one succeeds`, async () => {
  const ada = await make.person()
  const { body } = await own(ada, 'a')
  const answers = await Promise.all([1, 2, 3, 4].map(() => remove(ada.name, body.id)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404])
  assert.equal((await deeds(ada.name)).length, 2)
})

test(`${POST_OWN}, ${LIST_OWN}, ${GET_OWN} and ${DELETE_OWN} are what a user does with keys of its own`, async () => {
  const ada = await make.person()
  const added = await own(ada, 'one')
  assert.equal(added.status, 201)
  clock.tick(1000)
  const second = await own(ada, 'two')
  assert.notEqual(second.body.created_at, added.body.created_at)
  const listed = await call(LIST_OWN, { as: ada })
  assert.deepEqual(listed.body, [added.body, second.body])
  assert.equal(listed.headers.get('x-total-count'), '2')
  assert.deepEqual((await call(GET_OWN, { as: ada, params: { id: added.body.id } })).body, added.body)
  assert.equal((await own(ada, 'one')).status, 422)
  assert.equal((await call(DELETE_OWN, { as: ada, params: { id: added.body.id } })).status, 204)
  assert.equal((await call(DELETE_OWN, { as: ada, params: { id: added.body.id } })).status, 404)
  assert.deepEqual((await call(LIST_OWN, { as: ada })).body, [second.body])
})

test(`${LIST_OWN} pages, and finds a fingerprint`, async () => {
  const ada = await make.person()
  for (const title of ['a', 'b', 'c']) await own(ada, title)
  const page = async (query: Record<string, string | number>) => {
    const { status, body, headers } = await call(LIST_OWN, { as: ada, query })
    assert.equal(status, 200)
    const titles = body.map(({ title }: { title: string }) => title).join('')
    return [titles, headers.get('x-total-count'), headers.get('link') !== null]
  }
  assert.deepEqual(await page({ limit: 2 }), ['ab', '3', true])
  assert.deepEqual(await page({ limit: 2, page: 2 }), ['c', '3', true])
  assert.deepEqual(await page({ limit: 2, page: 9 }), ['', '3', true])
  // What tea asks for when it signs in.
  assert.deepEqual(await page({ page: 0, limit: 0 }), ['abc', '3', false])
  const { body } = await call(LIST_OWN, { as: ada })
  assert.deepEqual(await page({ fingerprint: body[1].fingerprint }), ['b', '1', false])
  const foreign = await own(await make.person(), 'd')
  assert.deepEqual(await page({ fingerprint: foreign.body.fingerprint }), ['', '0', false])
  assert.deepEqual(await page({ fingerprint: "' or true" }), ['', '0', false])
  assert.deepEqual(await page({ fingerprint: '\0' }), ['', '0', false])
})

test(`${LIST} shows keys to signed-in users who may see the user, and of the user what they may see`, async () => {
  const [ada, bob] = [await make.person({ login_name: 'cn=ada' }), await make.person()]
  await own(ada, 'a')
  const list = (username: string, as?: { authorization: string }) =>
    call(LIST, { params: { username }, ...(as && { as }) })
  assert.equal((await list(ada.name, ada)).body[0].user.login_name, 'cn=ada')
  assert.equal((await list(ada.name, boss)).body[0].user.login_name, 'cn=ada')
  assert.equal((await list(ada.name, bob)).body[0].user.login_name, '')
  assert.deepEqual((await list(bob.name, ada)).body, [])
  assert.equal((await list(ada.name)).status, 401)
  const quiet = await make.person({ visibility: 'private' })
  await own(quiet, 'q')
  assert.equal((await list(quiet.name, bob)).status, 404)
  assert.equal((await list(quiet.name, boss)).body[0].title, 'q')
})

test(`${GET_OWN} shows a key of anybody whom the caller may see`, async () => {
  const [ada, bob] = [await make.person({ visibility: 'private' }), await make.person()]
  const { body } = await own(ada, 'a')
  const show = async (as: { authorization: string }, id: number | string) =>
    (await call(GET_OWN, { as, params: { id } })).status
  assert.deepEqual(
    [await show(boss, body.id), await show(bob, body.id), await show(bob, 'x')],
    [200, 404, 404],
  )
  const shown = await own(bob, 'b')
  assert.equal(await show(ada, shown.body.id), 200)
})

test(`${DELETE_OWN} deletes a key of another user only for an administrator`, async () => {
  const [ada, bob] = [await make.person(), await make.person()]
  const { body } = await own(ada, 'a')
  const foreign = await call(DELETE_OWN, { as: bob, params: { id: body.id } })
  assert.deepEqual([foreign.status, foreign.body.message], [403, 'You do not have access to this key'])
  assert.equal((await call(DELETE_OWN, { as: boss, params: { id: body.id } })).status, 204)
})

test('keys of oneself need a sign-in, the scope of users, and a token that is not limited to public things', async () => {
  const ada = await make.person()
  const { body } = await own(ada, 'a')
  const tokens = {
    read: bearer(await make.token(ada, 'read:user')),
    other: bearer(await make.token(ada, 'write:admin')),
    narrow: bearer(await make.token(ada, 'public-only,all')),
  }
  for (const literal of [LIST_OWN, GET_OWN, POST_OWN, DELETE_OWN]) {
    const request = {
      params: { id: body.id },
      ...(literal === POST_OWN && { body: { title: 'b', key: newKeyLine() } }),
    }
    assert.equal((await call(literal, request)).status, 401, literal)
    assert.equal((await call(literal, { ...request, as: tokens.other })).status, 403, literal)
    assert.equal((await call(literal, { ...request, as: tokens.narrow })).status, 403, literal)
    const { status } = await call(literal, { ...request, as: tokens.read })
    assert.equal(status, literal.startsWith('GET') ? 200 : 403, literal)
  }
  assert.deepEqual(await keysLeft(ada), ['a'])
})

test('keys of a deleted user are free for others', async () => {
  const ada = await make.person()
  const key = newKeyLine()
  await own(ada, 'a', key)
  await call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: ada.name } })
  assert.equal((await own(await make.person(), 'a', key)).status, 201)
})

test('the list of keys is served by indexes', { skip: !onServer }, async () => {
  await pool`
    insert into forge.ssh_key (account_id, title, content, fingerprint, created_at)
    select account.id, 'bulk ' || n, 'x', 'bulk ' || account.id || ' ' || n, account.created_at
    from forge.account, generate_series(1, 500) as n where kind = 'person'`
  await pool`vacuum analyze forge.ssh_key`
  for (const fingerprint of ['', 'bulk 1 7']) {
    const plans = await plansOf(database, (sql) =>
      pageOfKeys(sql, boss.id, fingerprint, { page: 1, limit: 50 }),
    )
    assert.equal(plans.length, 1)
    assert.ok(!plans[0]?.includes('Seq Scan on ssh_key'), plans[0])
  }
})
