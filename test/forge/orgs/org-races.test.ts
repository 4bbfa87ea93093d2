import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginOn } from '../../../src/db/begin.ts'
import { parseAddress } from '../../../src/forge/accounts/email-address.ts'
import { insertPerson } from '../../../src/forge/users/user-store.ts'
import { startApp } from '../../support/app.ts'
import type { Somebody } from '../../support/forge/make.ts'

const { call, pool, clock, make } = await startApp()

const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('ada', 'bob')
const rounds = 8

const create = (username: string, as: Somebody) => call('POST /api/v1/orgs', { body: { username }, as })
const rename = (org: string, new_name: string) =>
  call('POST /api/v1/orgs/{org}/rename', { params: { org }, body: { new_name }, as: boss })
const leave = (org: string, who: Somebody, as = boss) =>
  call('DELETE /api/v1/orgs/{org}/members/{username}', { params: { org, username: who.name }, as })

const statuses = async (calls: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status).sort((a, b) => a - b)

/** How many accounts have the name now. */
const bearers = async (name: string) =>
  (await pool`select id from forge.account where key = ${name.toLowerCase()}`).length

test('POST /orgs: of many who create one name at the same time one has it, the others a 422', async () => {
  for (let round = 0; round < rounds; round++) {
    const name = `wanted-${round}`
    const many = [ada, bob, boss, ada, bob].map((as, at) => create(at % 2 ? name.toUpperCase() : name, as))
    assert.deepEqual(await statuses(many), [201, 422, 422, 422, 422])
    assert.equal(await bearers(name), 1)
  }
})

test('POST /orgs: of many that are created at once each is whole, and has its own owner and entry', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `crowd-${at}`)
  const owners = [ada, bob, boss]
  const answers = await Promise.all(
    names.map((username, at) => {
      const as = owners[at % 3] ?? boss
      // Every fourth is created by an administrator who acts as ada.
      const sudo = at % 4 === 0
      const body = { username, full_name: `Number ${at}`, visibility: at % 2 ? 'private' : 'public' }
      return call('POST /api/v1/orgs', {
        body,
        as: sudo ? boss : as,
        ...(sudo && { query: { sudo: 'ada' } }),
      })
    }),
  )
  const ownerOf = (at: number) => (at % 4 === 0 ? ada : (owners[at % 3] ?? boss)).name
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.username, body.full_name, body.visibility]),
    names.map((name, at) => [201, name, `Number ${at}`, at % 2 ? 'private' : 'public']),
  )
  const stored = await pool<{ id: number; name: string; owner: string; team: string; trail: string }[]>`
    select organization.id, organization.name, owner.name as owner,
      concat_ws(' ', team.name, team.permission, team.visibility, team.includes_all_repositories,
        team.can_create_repositories, team.units ->> 'repo.code', membership.is_public) as team,
      (select string_agg(concat_ws(' ', action, actor_name, acting_as, target_name, details ->> 'owner'), ',')
       from forge.audit where target_id = organization.id and target_kind = 'organization') as trail
    from forge.account as organization
    join forge.team on team.organization_id = organization.id
    join forge.team_member on team_member.team_id = team.id
    join forge.membership on membership.organization_id = organization.id
      and membership.account_id = team_member.account_id
    join forge.account as owner on owner.id = membership.account_id
    where organization.name = any(${names})`
  const byName = new Map(stored.map((row) => [row.name, row]))
  assert.equal(stored.length, names.length)
  for (const [at, name] of names.entries()) {
    const who = at % 4 === 0 ? 'boss ada' : ownerOf(at)
    const { id, ...row } = byName.get(name) ?? { id: 0 }
    assert.equal(id, answers[at]?.body.id)
    assert.deepEqual(row, {
      name,
      owner: ownerOf(at),
      team: 'Owners owner limited t t owner f',
      trail: `organization.created ${who} ${name} ${ownerOf(at)}`,
    })
  }
})

test('POST /orgs: of many at once, only those with a taken name or a deleted owner are refused', async () => {
  await create('seat-3', ada)
  const gone = await make.person({ name: 'goer' })
  const creations = Array.from({ length: 12 }, (_, at) => create(`seat-${at}`, at === 7 ? gone : bob))
  const removal = call('DELETE /api/v1/admin/users/{username}', { params: { username: 'goer' }, as: boss })
  const answers = await Promise.all(creations)
  const isRemoved = (await removal).status === 204
  assert.deepEqual(
    answers.map(({ status }, at) => (at === 7 ? undefined : status)),
    answers.map((_, at) => (at === 7 ? undefined : at === 3 ? 422 : 201)),
  )
  // Whoever was faster: the organization or the removal of its owner.
  assert.equal(answers[7]?.status === 201, !isRemoved, String(answers[7]?.status))
  assert.equal(answers[3]?.body.message, 'user already exists [name: seat-3]')
})

test('POST /orgs: a user and an organization of one name at the same time are one of them', async () => {
  const begin = beginOn(pool, clock.now)
  for (let round = 0; round < rounds; round++) {
    const name = `shared-${round}`
    const email = parseAddress(`${name}@example.com`)
    assert.ok(email.ok)
    const [organization, person] = await Promise.allSettled([
      create(name, ada),
      begin((tx) => insertPerson(tx, { name, email: email.value })),
    ])
    const isCreated = organization.status === 'fulfilled' && organization.value.status === 201
    assert.equal(isCreated, person.status === 'rejected')
    if (!isCreated) assert.equal(organization.status === 'fulfilled' && organization.value.status, 422)
    assert.equal(await bearers(name), 1)
  }
})

test('POST /orgs/{org}/rename: against a creation and another rename to one name, one has it', async () => {
  for (let round = 0; round < rounds; round++) {
    const name = `target-${round}`
    const [one, two] = [`one-${round}`, `two-${round}`]
    await Promise.all([create(one, ada), create(two, bob)])
    const ended = await statuses([rename(one, name), rename(two, name), create(name, ada)])
    assert.equal(ended.filter((status) => status < 300).length, 1, String(ended))
    assert.equal(ended.filter((status) => status === 422).length, 2, String(ended))
    assert.equal(await bearers(name), 1)
  }
})

test("POST /orgs/{org}/rename: two that take each other's name end in clean answers, and both names are had", async () => {
  for (let round = 0; round < rounds; round++) {
    const [left, right] = [`left-${round}`, `right-${round}`]
    await Promise.all([create(left, ada), create(right, ada)])
    const ended = await statuses([rename(left, right), rename(right, left)])
    for (const status of ended) assert.ok(status === 204 || status === 422 || status === 307, String(ended))
    const rows = await pool`
      select account.id
      from forge.account
      where key in (${left}, ${right})`
    assert.equal(rows.length, 2)
  }
})

test('DELETE /orgs/{org}/members/{username}: two owners who are removed at the same time leave one', async () => {
  for (let round = 0; round < rounds; round++) {
    const { body } = await create(`owned-${round}`, ada)
    const [owners] = await pool<
      [{ id: number }]
    >`select id from forge.team where organization_id = ${body.id}`
    const team = { id: owners.id }
    const put = await call('PUT /api/v1/teams/{id}/members/{username}', {
      params: { ...team, username: 'bob' },
      as: ada,
    })
    assert.equal(put.status, 204)
    const ways = [
      (who: Somebody) => leave(body.name, who),
      (who: Somebody) => leave(body.name, who, who),
      (who: Somebody) =>
        call('DELETE /api/v1/teams/{id}/members/{username}', {
          params: { ...team, username: who.name },
          as: boss,
        }),
    ]
    const way = ways[round % 3]
    assert.ok(way)
    const ended = await statuses([way(ada), way(bob)])
    assert.deepEqual(ended, [204, 422])
    const left = await pool`select account_id from forge.team_member where organization_id = ${body.id}`
    assert.equal(left.length, 1)
  }
})

test('DELETE /admin/users/{username} with purge while the other owner is removed: an owner stays, or the organization is deleted', async () => {
  for (let round = 0; round < rounds; round++) {
    const eve = await make.person({ name: `eve-${round}` })
    const { body } = await create(`purged-${round}`, eve)
    const [owners] = await pool<
      [{ id: number }]
    >`select id from forge.team where organization_id = ${body.id}`
    const params = { id: owners.id, username: 'bob' }
    assert.equal((await call('PUT /api/v1/teams/{id}/members/{username}', { params, as: boss })).status, 204)
    const [purged, removed] = await Promise.all([
      call('DELETE /api/v1/admin/users/{username}', {
        params: { username: eve.name },
        query: { purge: 'true' },
        as: boss,
      }),
      leave(body.name, bob),
    ])
    assert.equal(purged.status, 204)
    const left = await pool`select account_id from forge.team_member where organization_id = ${body.id}`
    const isThere = (await bearers(body.name)) > 0
    assert.deepEqual([removed.status, left.length], isThere ? [422, 1] : [removed.status, 0])
    assert.ok([204, 404, 422].includes(removed.status))
  }
})

test('PUT /teams/{id}/members/{username}: who is put into one team and taken out of another is a member or in no team', async () => {
  for (let round = 0; round < rounds; round++) {
    const { body } = await create(`moved-${round}`, ada)
    const from = await make.team(body, [bob])
    const to = await make.team(body, [])
    const params = (team: { id: number }) => ({ id: team.id, username: 'bob' })
    const ended = await statuses([
      call('PUT /api/v1/teams/{id}/members/{username}', { params: params(to), as: ada }),
      call('DELETE /api/v1/teams/{id}/members/{username}', { params: params(from), as: ada }),
      call('PUT /api/v1/teams/{id}/members/{username}', { params: params(to), as: boss }),
    ])
    assert.deepEqual(ended, [204, 204, 204])
    const teams = await pool`
      select team_id from forge.team_member where organization_id = ${body.id} and account_id = ${bob.id}`
    assert.deepEqual(
      teams.map((row) => row.team_id),
      [to.id],
    )
  }
})

test('POST /orgs/{org}/teams: of many who create one name at the same time one has it', async () => {
  const { body } = await create('teamed', ada)
  const createTeam = (name: string) =>
    call('POST /api/v1/orgs/{org}/teams', { params: { org: body.name }, body: { name }, as: ada })
  for (let round = 0; round < rounds; round++) {
    const ended = await statuses(
      ['Core', 'core', 'CORE', 'Core'].map((name) => createTeam(`${name}-${round}`)),
    )
    assert.deepEqual(ended, [201, 422, 422, 422])
  }
})
