import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { client } from '../../support/git.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: folder })
const { call, pool, make } = app
const boss = await make.admin({ name: 'boss' })
const [ada, bob, eve] = await make.people('Ada', 'Bob', 'eve')
const robot = await make.bot({ name: 'robot' })
await make.organization(ada, { name: 'guild' })
const { body: tool } = await call('POST /api/v1/user/repos', {
  as: ada,
  body: { name: 'Tool', private: true, auto_init: true },
})
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'open' } })

const list = 'GET /api/v1/repos/{owner}/{repo}/collaborators'
const check = 'GET /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
const put = 'PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
const remove = 'DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
const permission = 'GET /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}/permission'

const on = (literal: string, collaborator: string, as?: As, body?: unknown, repo = 'tool') =>
  call(literal, {
    params: { owner: 'ada', repo, ...(literal !== list && { collaborator }) },
    ...(as && { as }),
    ...(body !== undefined && { body }),
  })
const give = (collaborator: string, permission?: string, as: As = ada) =>
  on(put, collaborator, as, permission === undefined ? {} : { permission })
const held = async () =>
  (
    await pool<{ account_id: number; permission: string }[]>`
      select account_id, permission
      from forge.repository_collaborator
      where repository_id = ${tool.id}
      order by account_id`
  ).map(({ account_id, permission }) => [account_id, permission])
const deeds = async () =>
  await pool<{ action: string; target_name: string; details: unknown }[]>`
    select action, target_name, details
    from forge.audit
    where action like 'repository.collaborator%'
    order by id`
const statusOf = async (as: As) =>
  (await call('GET /api/v1/repos/{owner}/{repo}', { as, params: { owner: 'ada', repo: 'tool' } })).status
const permissionOf = async (name: string, as: As = ada) => {
  const { status, body } = await on(permission, name, as)
  assert.equal(status, 200)
  assert.equal(body.role_name, body.permission)
  assert.equal(body.user.login.toLowerCase(), name.toLowerCase())
  return body.permission
}

test(`${put} adds a collaborator, changes the permission, and records each once`, async () => {
  assert.equal(await statusOf(bob), 404)
  assert.equal((await give('BOB')).status, 204)
  assert.deepEqual(await held(), [[bob.id, 'write']])
  assert.equal(await statusOf(bob), 200)
  assert.equal((await give('bob', 'write')).status, 204)
  assert.equal((await give('bob', 'read')).status, 204)
  assert.deepEqual(await held(), [[bob.id, 'read']])
  assert.deepEqual(
    [...(await deeds())].map((row) => ({ ...row })),
    ['write', 'read'].map((permission) => ({
      action: 'repository.collaborator_set',
      target_name: 'Ada/Tool',
      details: { collaborator: 'Bob', permission },
    })),
  )
  assert.equal((await give('robot', 'admin')).status, 204)
  assert.deepEqual(await held(), [
    [bob.id, 'read'],
    [robot.id, 'admin'],
  ])
})

test(`${put} sets the access of git clients`, async () => {
  const address = new URL('ada/tool.git', `${app.url}/`)
  address.username = 'bob'
  address.password = bob.token
  const work = await temporaryFolder()
  assert.equal((await client(work, 'clone', '-q', address.href, 'tool')).code, 0)
  const push = () => client(`${work}/tool`, 'push', '-q', 'origin', 'HEAD:refs/heads/other')
  assert.notEqual((await push()).code, 0)
  await give('bob', 'write')
  assert.equal((await push()).code, 0)
  await give('bob', 'read')
})

test(`${put} refuses unknown users, the owner and unknown permissions`, async () => {
  const before = await held()
  for (const name of ['nobody', 'guild', 'a b', '%00', 'x'.repeat(60)])
    holdRefusal(await give(name), 422, `user does not exist [name: ${name}]`)
  assert.equal((await give('ada')).status, 422)
  for (const body of [
    { permission: 'owner' },
    { permission: 'none' },
    { permission: 7 },
    [],
    '',
    '{',
    'null',
  ])
    assert.equal((await on(put, 'eve', ada, body)).status, body === 'null' ? 204 : 422, JSON.stringify(body))
  assert.equal((await on(remove, 'eve', ada)).status, 204)
  assert.deepEqual(await held(), before)
})

test(`${put} and ${remove} are for administrators of the repository`, async () => {
  for (const literal of [remove, put]) {
    const body = literal === put ? {} : undefined
    assert.equal((await on(literal, 'eve', undefined, body)).status, 404)
    assert.equal((await on(literal, 'eve', undefined, body, 'open')).status, 401)
    assert.equal((await on(literal, 'robot', eve, body)).status, 404)
    assert.equal((await on(literal, 'robot', eve, body, 'open')).status, 403)
    assert.equal((await on(literal, 'robot', bob, body)).status, 403)
    const reader = bearer(await make.token(ada, 'read:repository'))
    assert.equal((await on(literal, 'robot', reader, body)).status, 403)
    assert.equal((await on(literal, 'eve', robot, body)).status, 204)
    assert.equal((await on(literal, 'eve', boss, body)).status, 204)
  }
  assert.equal((await on(remove, 'eve', ada)).status, 204)
  assert.equal((await held()).length, 2)
})

test(`${list} and ${check} show collaborators to all signed-in readers`, async () => {
  const { status, body, headers } = await on(list, '', bob)
  assert.deepEqual([status, body.map(({ login }: { login: string }) => login)], [200, ['Bob', 'robot']])
  assert.equal(headers.get('x-total-count'), '2')
  const page = await call(list, {
    as: ada,
    params: { owner: 'ada', repo: 'tool' },
    query: { limit: 1, page: 2 },
  })
  assert.deepEqual(page.body.length, 1)
  assert.match(page.headers.get('link') ?? '', /rel="prev"/)
  const beyond = await call(list, { as: ada, params: { owner: 'ada', repo: 'tool' }, query: { page: 7 } })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '2'])
  assert.equal((await on(list, '', undefined, undefined, 'open')).status, 401)
  assert.equal((await on(list, '', eve)).status, 404)
  assert.equal((await on(check, 'ROBOT', bob)).status, 204)
  assert.equal((await on(check, 'eve', bob)).status, 404)
  assert.equal((await on(check, 'ada', bob)).status, 404)
  assert.equal((await on(check, 'nobody', bob)).status, 422)
  assert.equal((await on(check, 'robot', eve)).status, 404)
})

test(`${permission} takes the highest permission from all sources`, async () => {
  assert.equal(await permissionOf('ada'), 'owner')
  assert.equal(await permissionOf('bob'), 'read')
  assert.equal(await permissionOf('Robot'), 'admin')
  assert.equal(await permissionOf('boss'), 'owner')
  assert.equal(await permissionOf('eve'), 'none')
  assert.equal(await permissionOf('bob', bob), 'read')
  assert.equal(await permissionOf('bob', robot), 'read')
  const open = await on(permission, 'eve', ada, undefined, 'open')
  assert.equal(open.body.permission, 'read')
  const denied = await on(permission, 'robot', bob)
  assert.equal(denied.status, 403)
  assert.match(denied.body.message, /collaborators can query only their own$/)
  assert.equal((await on(permission, 'nobody', ada)).status, 404)
  assert.equal((await on(permission, 'guild', ada)).status, 404)
  assert.equal((await on(permission, 'eve', eve)).status, 404)
  assert.equal((await on(permission, 'ada', undefined, undefined, 'open')).status, 401)
})

test(`${remove} removes a collaborator, also the caller, and accepts a user who is none`, async () => {
  assert.equal((await on(remove, 'robot', ada)).status, 204)
  assert.equal((await on(remove, 'robot', ada)).status, 204)
  assert.equal((await on(remove, 'nobody', ada)).status, 422)
  assert.equal(await statusOf(robot), 404)
  assert.equal((await on(remove, 'Bob', bob)).status, 204)
  assert.equal(await statusOf(bob), 404)
  assert.deepEqual(await held(), [])
  const removals = (await deeds()).filter(({ action }) => action === 'repository.collaborator_removed')
  assert.deepEqual(
    removals.slice(-2).map(({ details }) => details),
    [{ collaborator: 'robot' }, { collaborator: 'Bob' }],
  )
})

test(`${put}: concurrent requests all count, and deleting an account removes its permissions`, async () => {
  const people = await Promise.all([1, 2, 3, 4, 5].map((at) => make.person({ name: `helper${at}` })))
  const answers = await Promise.all(people.flatMap(({ name }) => [give(name), give(name, 'admin')]))
  assert.ok(answers.every(({ status }) => status === 204))
  assert.equal((await held()).length, 5)
  const gone = { as: boss, params: { username: 'helper1' } }
  assert.equal((await call('DELETE /api/v1/admin/users/{username}', gone)).status, 204)
  assert.equal((await held()).length, 4)
})
