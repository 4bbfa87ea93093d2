import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()

const boss = await make.admin({ name: 'boss' })
const [ada, bob, stranger] = await make.people('ada', 'Bob', 'stranger')
const robot = await make.bot({ name: 'robot' })
const crew = await make.organization(ada, { name: 'crew', visibility: 'private' })
const team = await make.team(crew, [bob], { name: 'team' })
const [owners] = await pool<[{ id: number }]>`
  select id from forge.team where organization_id = ${crew.id} and permission = 'owner'`

const on = (method: string, id: number | string, username: string, as?: As) =>
  call(`${method} /api/v1/teams/{id}/members/{username}`, { params: { id, username }, ...(as && { as }) })
const list = (id: number | string, as?: As, query = {}) =>
  call('GET /api/v1/teams/{id}/members', { params: { id }, query, ...(as && { as }) })
const logins = (rows: readonly { login: string }[]) => rows.map(({ login }) => login)
const isMember = async (account: number) =>
  (await pool`select from forge.membership where organization_id = ${crew.id} and account_id = ${account}`)
    .length > 0
const deeds = async () =>
  (await pool`select action, target_name, details from forge.audit order by id`).map((row) => ({ ...row }))

test('GET /teams/{id}/members shows a team by the order of accounts to who may see it', async () => {
  const other = await make.team(crew, [robot, stranger], { name: 'other' })
  const { status, body, headers } = await list(other.id, ada)
  assert.deepEqual([status, logins(body), headers.get('x-total-count')], [200, ['stranger', 'robot'], '2'])
  assert.deepEqual(logins((await list(other.id, boss, { limit: 1, page: 2 })).body), ['robot'])
  assert.deepEqual((await list(other.id, boss, { page: 7 })).body, [])
  holdRefusal(await list(other.id), 401, 'token is required')
  holdRefusal(await list(other.id, bob), 403, 'Must be a team member')
  assert.deepEqual(logins((await list(owners.id, bob)).body), ['ada'])
  assert.equal((await list(team.id, await make.person())).status, 404)
  assert.equal((await list('x', boss)).status, 404)
  assert.equal((await call('DELETE /api/v1/teams/{id}', { params: { id: other.id }, as: ada })).status, 204)
})

test('GET /teams/{id}/members/{username} shows a member, and 404 for everybody else', async () => {
  const { status, body } = await on('GET', team.id, 'BOB', bob)
  assert.deepEqual([status, body.login, body.email], [200, 'Bob', 'Bob@example.com'])
  for (const username of ['ada', 'nobody', 'crew', 'a/b']) {
    assert.equal((await on('GET', team.id, username, ada)).status, 404, username)
  }
  assert.equal((await on('GET', team.id, 'bob')).status, 401)
})

test('PUT /teams/{id}/members/{username} puts somebody in and makes them a member, once', async () => {
  const before = (await deeds()).length
  for (const _ of [1, 2]) assert.equal((await on('PUT', team.id, 'Stranger', ada)).status, 204)
  assert.deepEqual((await deeds()).slice(before), [
    {
      action: 'team.member_added',
      target_name: 'team',
      details: { organization: 'crew', member: 'stranger' },
    },
  ])
  assert.ok(await isMember(stranger.id))
  assert.equal((await on('PUT', team.id, 'robot', boss)).status, 204)
  assert.deepEqual(logins((await list(team.id, stranger)).body), ['Bob', 'stranger', 'robot'])
})

test('PUT and DELETE /teams/{id}/members/{username} are for owners and administrators, about users', async () => {
  for (const method of ['PUT', 'DELETE']) {
    holdRefusal(await on(method, team.id, 'bob'), 401, 'token is required')
    holdRefusal(await on(method, team.id, 'bob', bob), 403, 'Must be an organization owner')
    holdRefusal(await on(method, team.id, 'bob', await make.person()), 403, 'Must be an organization owner')
    holdRefusal(await on(method, team.id, 'nobody', ada), 404, 'user redirect does not exist [name: nobody]')
    holdRefusal(await on(method, team.id, 'crew', ada), 404, 'user redirect does not exist [name: crew]')
    assert.equal((await on(method, 999_999, 'bob', boss)).status, 404)
    assert.equal((await on(method, 'x', 'bob', boss)).status, 404)
    const reader = bearer(await make.token(ada, 'read:organization'))
    assert.equal((await on(method, team.id, 'bob', reader)).status, 403)
  }
  assert.ok(await isMember(bob.id))
})

test('DELETE /teams/{id}/members/{username} ends the membership of who is in no other team', async () => {
  const second = await make.team(crew, [stranger], { name: 'second' })
  assert.equal((await on('DELETE', team.id, 'stranger', ada)).status, 204)
  assert.ok(await isMember(stranger.id))
  assert.equal((await on('DELETE', second.id, 'stranger', ada)).status, 204)
  assert.equal(await isMember(stranger.id), false)
  holdRefusal(await on('DELETE', second.id, 'stranger', ada), 404, 'not found')
  assert.equal((await deeds()).at(-1)?.action, 'team.member_removed')
})

test('DELETE /teams/{id}/members/{username} leaves the last owner where it is', async () => {
  const refusal = `user is the last owner of the organization [uid: ${ada.id}]`
  for (const as of [ada, boss]) holdRefusal(await on('DELETE', owners.id, 'ada', as), 422, refusal)
  assert.equal((await on('PUT', owners.id, 'bob', ada)).status, 204)
  assert.equal((await on('DELETE', owners.id, 'ada', ada)).status, 204)
  assert.equal(await isMember(ada.id), false)
  assert.equal((await on('DELETE', owners.id, 'bob', bob)).status, 422)
  // Who owned it until now is a stranger to it.
  holdRefusal(await on('PUT', owners.id, 'ada', ada), 403, 'Must be an organization owner')
})
