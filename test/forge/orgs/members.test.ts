import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import { type As, bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()

const boss = await make.admin({ name: 'boss' })
const [ada, bob, cyn, stranger] = await make.people('ada', 'Bob', 'cyn', 'stranger')

/** An organization that `ada` owns, with `Bob` in two teams and `cyn` in one. */
async function crew(visibility: 'public' | 'limited' | 'private' = 'public') {
  const made = await make.organization(ada, { visibility })
  await make.team(made, [bob, cyn])
  await make.team(made, [bob])
  return made
}

const members = 'GET /api/v1/orgs/{org}/members'
const publicMembers = 'GET /api/v1/orgs/{org}/public_members'
const on = (literal: string, org: string, as?: As, username?: string, query = {}) =>
  call(literal, { params: { org, ...(username !== undefined && { username }) }, query, ...(as && { as }) })
const check = (org: string, username: string, as?: As) => on(`${members}/{username}`, org, as, username)
const checkPublic = (org: string, username: string, as?: As) =>
  on(`${publicMembers}/{username}`, org, as, username)
const remove = (org: string, username: string, as?: As) =>
  on('DELETE /api/v1/orgs/{org}/members/{username}', org, as, username)
const publicize = (org: string, username: string, as?: As) =>
  on('PUT /api/v1/orgs/{org}/public_members/{username}', org, as, username)
const conceal = (org: string, username: string, as?: As) =>
  on('DELETE /api/v1/orgs/{org}/public_members/{username}', org, as, username)

const logins = ({ status, body }: Answered): unknown =>
  status === 200 ? body.map(({ login }: { login: string }) => login) : status

const newestDeed = async () => {
  const [row] = await pool`
    select action, target_name, actor_name, details from forge.audit order by id desc limit 1`
  return { ...row }
}

test('GET /orgs/{org}/members shows all to members and administrators, to others those who show it', async () => {
  const { name } = await crew()
  await publicize(name, 'cyn', cyn)
  const seen = await Promise.all([undefined, stranger, bob, boss].map((as) => on(members, name, as)))
  assert.deepEqual(seen.map(logins), [401, ['cyn'], ['ada', 'Bob', 'cyn'], ['ada', 'Bob', 'cyn']])
  assert.deepEqual(
    seen.map(({ headers }) => headers.get('x-total-count')),
    [null, '1', '3', '3'],
  )
})

test('GET /orgs/{org}/members is a 404 where the organization cannot be seen', async () => {
  const { name } = await crew('private')
  const seen = await Promise.all([undefined, stranger, bob, boss].map((as) => on(members, name, as)))
  assert.deepEqual(
    seen.map(({ status }) => status),
    [404, 404, 200, 200],
  )
  assert.equal((await on(members, 'no-such-org', boss)).status, 404)
  assert.equal((await on(members, 'ada', boss)).status, 404)
  const limited = bearer(await make.token(bob, 'public-only', 'read:organization'))
  holdRefusal(await on(members, name, limited), 403, 'token scope is limited to public orgs')
  holdRefusal(
    await on(members, name, bearer(await make.token(bob, 'read:user'))),
    403,
    'token does not have at least one of required scope(s), required=[read:organization], token scope=read:user',
  )
})

test('GET /orgs/{org}/members and public_members have pages', async () => {
  const { name } = await crew()
  for (const who of [ada, bob, cyn]) await publicize(name, who.name, who)
  for (const literal of [members, publicMembers]) {
    const page = await on(literal, name, boss, undefined, { limit: 2, page: 2 })
    assert.deepEqual(logins(page), ['cyn'])
    assert.equal(page.headers.get('x-total-count'), '3')
    assert.match(page.headers.get('link') ?? '', /rel="prev"$/)
    assert.deepEqual(logins(await on(literal, name, boss, undefined, { page: 9 })), [])
  }
})

test('GET /orgs/{org}/members/{username} is 204 or 404 to who may know, and leads others to the public members', async () => {
  const { name } = await crew('limited')
  for (const [as, username, status] of [
    [bob, 'ADA', 204],
    [bob, 'stranger', 404],
    [boss, 'cyn', 204],
    [stranger, 'stranger', 404],
    [stranger, 'cyn', 303],
    [stranger, 'nobody', 404],
    [boss, 'nobody', 404],
    [boss, name, 404],
    [boss, 'a/b', 404],
    [undefined, 'ada', 404],
  ] as const) {
    assert.equal((await check(name, username, as)).status, status, `${as?.name} about ${username}`)
  }
  const sent = await check(name.toUpperCase(), 'CYN', stranger)
  assert.equal(
    sent.headers.get('location'),
    `https://forgehall.example/api/v1/orgs/${name}/public_members/cyn`,
  )
})

test('PUT and DELETE /orgs/{org}/public_members/{username} show and hide a membership', async () => {
  const { name } = await crew()
  assert.equal((await checkPublic(name, 'bob')).status, 404)
  assert.deepEqual(logins(await on(publicMembers, name)), [])
  for (const _ of [1, 2]) assert.equal((await publicize(name, 'bob', bob)).status, 204)
  assert.deepEqual(await newestDeed(), {
    action: 'member.publicized',
    target_name: name,
    actor_name: 'Bob',
    details: { member: 'Bob' },
  })
  assert.equal((await checkPublic(name, 'BOB')).status, 204)
  assert.deepEqual(logins(await on(publicMembers, name)), ['Bob'])
  assert.equal((await conceal(name, 'bob', bob)).status, 204)
  assert.equal((await checkPublic(name, 'bob', bob)).status, 404)
  assert.equal((await newestDeed()).action, 'member.concealed')
})

test('PUT and DELETE /orgs/{org}/public_members/{username} are for the member, owners and administrators', async () => {
  const { name } = await crew()
  for (const work of [publicize, conceal]) {
    holdRefusal(await work(name, 'bob'), 401, 'token is required')
    holdRefusal(await work(name, 'bob', stranger), 403, 'Must be an organization member')
    holdRefusal(await work(name, 'bob', cyn), 403, 'Cannot change the membership of others')
    assert.equal((await work(name, 'bob', ada)).status, 204)
    assert.equal((await work(name, 'bob', boss)).status, 204)
    assert.equal((await work(name, 'stranger', ada)).status, 404)
    assert.equal((await work(name, 'nobody', ada)).status, 404)
    assert.equal((await work(name, name, ada)).status, 404)
    assert.equal((await work('no-such-org', 'bob', ada)).status, 404)
    const reader = bearer(await make.token(bob, 'read:organization'))
    assert.equal((await work(name, 'bob', reader)).status, 403)
  }
})

test('GET /orgs/{org}/public_members is open as far as the organization is', async () => {
  const { name } = await crew('limited')
  assert.equal((await on(publicMembers, name)).status, 404)
  assert.equal((await on(publicMembers, name, stranger)).status, 200)
  assert.equal((await checkPublic(name, 'bob')).status, 404)
})

test('DELETE /orgs/{org}/members/{username} removes a user from all teams', async () => {
  const { id, name } = await crew()
  assert.equal((await remove(name, 'BOB', ada)).status, 204)
  assert.deepEqual(await newestDeed(), {
    action: 'member.removed',
    target_name: name,
    actor_name: 'ada',
    details: { member: 'Bob' },
  })
  const left = await pool`
    select account_id from forge.team_member where organization_id = ${id} order by account_id`
  assert.deepEqual(
    left.map((row) => row.account_id),
    [ada.id, cyn.id],
  )
  assert.equal((await check(name, 'bob', ada)).status, 404)
  holdRefusal(await remove(name, 'bob', ada), 404, 'not found')
})

test('DELETE /orgs/{org}/members/{username} is for owners, administrators, and who leaves', async () => {
  const { name } = await crew('private')
  holdRefusal(await remove(name, 'bob'), 401, 'token is required')
  holdRefusal(await remove(name, 'bob', stranger), 403, 'Must be an organization owner')
  holdRefusal(await remove(name, 'bob', cyn), 403, 'Must be an organization owner')
  holdRefusal(await remove(name, 'stranger', stranger), 404, 'not found')
  assert.equal((await remove(name, 'bob', bearer(await make.token(ada, 'read:organization')))).status, 403)
  assert.equal((await remove(name, 'cyn', cyn)).status, 204)
  assert.equal((await remove(name, 'bob', boss)).status, 204)
  assert.equal((await remove(name, 'nobody', ada)).status, 404)
  assert.equal((await remove(name, 'a\r\nb', ada)).status, 404)
})

test('DELETE /orgs/{org}/members/{username} leaves the last owner where it is', async () => {
  const { id, name } = await crew()
  const refusal = `user is the last owner of the organization [uid: ${ada.id}]`
  for (const as of [ada, boss]) holdRefusal(await remove(name, 'ada', as), 422, refusal)
  assert.equal((await check(name, 'ada', boss)).status, 204)
  const [owners] = await pool<[{ id: number }]>`
    select id from forge.team where organization_id = ${id} and permission = 'owner'`
  const put = (who: Somebody) =>
    call('PUT /api/v1/teams/{id}/members/{username}', {
      params: { id: owners.id, username: who.name },
      as: boss,
    })
  assert.equal((await put(bob)).status, 204)
  assert.equal((await remove(name, 'ada', ada)).status, 204)
  assert.equal((await remove(name, 'bob', boss)).status, 422)
})
