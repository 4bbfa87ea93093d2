import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { basic, bearer, makersFor } from '../../support/forge/make.ts'

// Two processes: what one of them has looked up is valid until the other one writes.
const database = await openTestDatabase()
const [one, other] = [await serveApp(database), await serveApp(database)]
after(async () => {
  for (const app of [one, other]) await app.close()
  await database.close()
})

const remote = { reads: 0, state: 'first' }
const read = async () => {
  remote.reads++
  return remote.state
}
const counting = await serveApp({ ...database, states: { remote: read } })
after(() => counting.close())

const make = makersFor(one)
const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('ada', 'bob')

const get = async (status: number, literal: string, as: { authorization: string }, query = {}) => {
  const answer = await other.call(literal, { as, query })
  assert.equal(answer.status, status)
  return answer.body
}

test('a token that was just used is refused as soon as another process has revoked it', async () => {
  const { body: token } = await one.call('POST /api/v1/users/{username}/tokens', {
    params: { username: 'ada' },
    as: basic('ada'),
    body: { name: 'short-lived', scopes: ['read:user'] },
  })
  for (let use = 0; use < 3; use++) await get(200, 'GET /api/v1/user', bearer(token.sha1))
  const params = { username: 'ada', token: token.id }
  await one.call('DELETE /api/v1/users/{username}/tokens/{token}', { params, as: basic('ada') })
  await get(401, 'GET /api/v1/user', bearer(token.sha1))
})

test('a password that was changed elsewhere is wrong at once', async () => {
  const carol = await make.person({ name: 'carol' })
  for (let use = 0; use < 3; use++) await get(200, 'GET /api/v1/user', basic(carol.name))
  await one.call('PATCH /api/v1/admin/users/{username}', {
    params: { username: carol.name },
    as: boss,
    body: { password: 'Another-Password-1', must_change_password: false },
  })
  await get(401, 'GET /api/v1/user', basic(carol.name))
  await get(200, 'GET /api/v1/user', basic(carol.name, 'Another-Password-1'))
})

test('a caller who is no longer an administrator is refused at once', async () => {
  const dora = await make.admin({ name: 'dora' })
  for (let use = 0; use < 3; use++) await get(200, 'GET /api/v1/admin/users', dora)
  const params = { username: dora.name }
  await one.call('PATCH /api/v1/admin/users/{username}', { params, as: boss, body: { admin: false } })
  await get(403, 'GET /api/v1/admin/users', dora)
})

test('a list shows what another process has just written', async () => {
  const names = async (): Promise<string[]> =>
    (await get(200, 'GET /api/v1/orgs', ada)).map(({ name }: { name: string }) => name)
  for (let round = 0; round < 20; round++) {
    const name = `org-${round}`
    assert.ok(!(await names()).includes(name))
    await one.call('POST /api/v1/orgs', { as: ada, body: { username: name } })
    assert.ok((await names()).includes(name))
    await one.call('DELETE /api/v1/orgs/{org}', { as: ada, params: { org: name } })
    assert.ok(!(await names()).includes(name))
  }
})

test('answers are separate for each caller and each page', async () => {
  const addresses = async (as: { authorization: string }) =>
    (await get(200, 'GET /api/v1/user/emails', as)).map(({ email }: { email: string }) => email)
  for (let use = 0; use < 2; use++) {
    assert.deepEqual(await addresses(ada), [ada.email])
    assert.deepEqual(await addresses(bob), [bob.email])
    const ids = []
    for (const page of [1, 2]) {
      const [user] = await get(200, 'GET /api/v1/admin/users', boss, { page, limit: 1 })
      ids.push(user.id)
    }
    assert.deepEqual(new Set(ids).size, 2)
  }
})

test('a request with a token reads the state of the database once', async () => {
  const orgs = () => counting.call('GET /api/v1/orgs', { as: ada })
  for (const state of ['first', 'second']) {
    remote.state = state
    for (let request = 0; request < 3; request++) {
      remote.reads = 0
      assert.equal((await orgs()).status, 200)
      assert.equal(remote.reads, 1)
    }
  }
})
