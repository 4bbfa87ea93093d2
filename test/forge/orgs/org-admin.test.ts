import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountByName, renameAccount, updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'
import { orgCalls, whole } from '../../support/forge/orgs.fixtures.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const app = await startApp()
const { call, pool } = app
const { begin, ...make } = app.make

const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('Ada', 'bob')
const { show, trail } = orgCalls(app, ada)
await make.organization(ada, { name: 'Engines' })

test('POST /admin/users/{username}/orgs makes the user the owner, and takes every member', async () => {
  const { status, body } = await call('POST /api/v1/admin/users/{username}/orgs', {
    params: { username: 'BOB' },
    body: { ...whole, username: 'bobs', visibility: 'private' },
    as: boss,
  })
  assert.deepEqual(
    [status, body.name, body.visibility, body.full_name, body.email, body.repo_admin_change_team_access],
    [201, 'bobs', 'private', whole.full_name, whole.email, true],
  )
  assert.equal((await show('bobs', bob)).status, 200)
  const members = await pool`select account_id from forge.membership where organization_id = ${body.id}`
  assert.deepEqual(
    members.map((row) => row.account_id),
    [bob.id],
  )
  assert.deepEqual(
    (await trail(1)).map(({ actor_name, details }) => [actor_name, details]),
    [['boss', { owner: 'bob', visibility: 'private' }]],
  )
})

test('POST /admin/users/{username}/orgs refuses in the order of the real forge', async () => {
  const createFor = (username: string, body: unknown, as?: { authorization: string }) =>
    call('POST /api/v1/admin/users/{username}/orgs', { params: { username }, body, ...(as && { as }) })
  holdRefusal(await createFor('nobody', '['), 401, 'token is required')
  holdRefusal(await createFor('nobody', '[', ada), 403, 'user should be the site admin')
  const token = bearer(await make.token(boss, 'read:admin', 'write:organization'))
  assert.match((await createFor('nobody', '[', token)).body.message, /required=\[write:admin\]/)
  holdRefusal(await createFor('nobody', '[', boss), 404, 'user redirect does not exist [name: nobody]')
  assert.equal((await createFor('bob', '[', boss)).status, 422)
  holdRefusal(await createFor('bob', { username: 'ada' }, boss), 422, 'user already exists [name: ada]')
  holdRefusal(await createFor('bob', { username: 'org', visibility: 'x' }, boss), 422, '[Visibility]: In')
  holdRefusal(await createFor('bob', { username: 'org' }, boss), 422, 'name is reserved [name: org]')
  holdRefusal(
    await createFor('engines', { username: 'nested' }, boss),
    422,
    'an organization cannot own an organization',
  )
  await begin((tx) => updateAccount(tx, bob.id, { allow_create_organization: false }))
  holdRefusal(
    await createFor('bob', { username: 'nope' }, boss),
    403,
    'user is not allowed to create organizations',
  )
  await begin((tx) => updateAccount(tx, bob.id, { allow_create_organization: true }))
  assert.equal(await accountByName(pool, 'nope'), undefined)
})

test('POST /admin/users/{username}/orgs follows a user who was renamed', async () => {
  const user = await make.person({ name: 'was-here' })
  const account = await accountByName(pool, user.name)
  assert.ok(account)
  await begin((tx) => renameAccount(tx, account, 'is-there'))
  const { status, headers } = await call('POST /api/v1/admin/users/{username}/orgs', {
    params: { username: 'was-here' },
    body: { username: 'x' },
    as: boss,
  })
  assert.deepEqual([status, headers.get('location')], [307, '/api/v1/admin/users/is-there/orgs'])
})
