import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, make, pool } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [keeper, taker] = await make.people('keeper', 'taker')
const guild = await make.organization(keeper, { name: 'guild' })
const { body: teams } = await call('GET /api/v1/orgs/{org}/teams', { as: keeper, params: { org: 'guild' } })
const owners = teams.find(({ name }: { name: string }) => name === 'Owners').id

const OFFER = 'POST /api/v1/repos/{owner}/{repo}/transfer'
const ACCEPT = 'POST /api/v1/repos/{owner}/{repo}/transfer/accept'
const REJECT = 'POST /api/v1/repos/{owner}/{repo}/transfer/reject'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}'

let made = 0

/** Somebody who owns the organization too, and offered one of its private repositories. */
async function offered(): Promise<{ giver: Somebody; repo: string }> {
  const giver = await make.person({ name: `giver${++made}` })
  await pool`
    insert into forge.membership (organization_id, account_id, is_public) values (${guild.id}, ${giver.id}, false)`
  await pool`
    insert into forge.team_member (team_id, organization_id, account_id) values (${owners}, ${guild.id}, ${giver.id})`
  const repo = `plans${made}`
  const body = { name: repo, private: true }
  assert.equal(
    (await call('POST /api/v1/orgs/{org}/repos', { as: giver, params: { org: 'guild' }, body })).status,
    201,
  )
  assert.equal((await ask(OFFER, repo, giver, { new_owner: 'taker' })).status, 201)
  assert.equal((await ask(SHOW, repo, taker)).status, 200)
  return { giver, repo }
}

const ask = (literal: string, repo: string, as: Somebody, body?: object) =>
  call(literal, { as, params: { owner: 'guild', repo }, ...(body && { body }) })
const edit = ({ name }: Somebody, body: object) =>
  call('PATCH /api/v1/admin/users/{username}', { as: boss, params: { username: name }, body })
const leaveOwners = ({ name }: Somebody) =>
  call('DELETE /api/v1/teams/{id}/members/{username}', { as: keeper, params: { id: owners, username: name } })

const ways: Record<string, (giver: Somebody, repo: string) => Promise<{ status: number }>> = {
  'leaves the team of owners': leaveOwners,
  'leaves the organization': ({ name }) =>
    call('DELETE /api/v1/orgs/{org}/members/{username}', {
      as: keeper,
      params: { org: 'guild', username: name },
    }),
  'may not sign in any more': (giver) => edit(giver, { prohibit_login: true }),
  'is deactivated': (giver) => edit(giver, { active: false }),
  'is deleted': ({ name }) =>
    call('DELETE /api/v1/admin/users/{username}', {
      as: boss,
      params: { username: name },
      query: { purge: 'true' },
    }),
  'is no administrator any more': async (giver, repo) => {
    assert.equal((await edit(giver, { admin: true })).status, 200)
    assert.equal((await leaveOwners(giver)).status, 204)
    assert.equal((await ask(SHOW, repo, taker)).status, 200, 'an administrator may give it away')
    return edit(giver, { admin: false })
  },
}

/** After the rights of who made the offer have ended. */
async function isVoid(repo: string): Promise<void> {
  for (const literal of [SHOW, ACCEPT, REJECT]) holdRefusal(await ask(literal, repo, taker), 404, 'not found')
  holdRefusal(await ask(ACCEPT, repo, boss), 404, 'not found')
  assert.equal((await ask(SHOW, repo, keeper)).body.full_name, `guild/${repo}`)
  assert.equal((await ask(OFFER, repo, keeper, { new_owner: 'taker' })).status, 201, 'others may offer it')
  assert.equal((await ask(ACCEPT, repo, taker)).status, 202)
}

for (const [way, end] of Object.entries(ways)) {
  test(`${ACCEPT} finds no offer after its maker ${way}, and it grants nobody read access`, async () => {
    const { giver, repo } = await offered()
    assert.ok([200, 204].includes((await end(giver, repo)).status))
    await isVoid(repo)
  })
}

const teamWays: Record<string, (id: number, giver: Somebody, repo: string) => Promise<{ status: number }>> = {
  'is deleted': (id) => call('DELETE /api/v1/teams/{id}', { as: keeper, params: { id } }),
  'may only write': (id) =>
    call('PATCH /api/v1/teams/{id}', {
      as: keeper,
      params: { id },
      body: { name: 'lowered', permission: 'write', units: ['repo.code'] },
    }),
  'loses its member': (id, { name }) =>
    call('DELETE /api/v1/teams/{id}/members/{username}', { as: keeper, params: { id, username: name } }),
  'loses the repository': (id, _, repo) =>
    call('DELETE /api/v1/teams/{id}/repos/{org}/{repo}', { as: keeper, params: { id, org: 'guild', repo } }),
}

for (const [way, end] of Object.entries(teamWays)) {
  test(`${ACCEPT} finds no offer after the team of its maker ${way}`, async () => {
    const giver = await make.person({ name: `member${++made}` })
    const { id } = await make.team(guild, [giver], { permission: 'admin' })
    const repo = `plans${made}`
    const body = { name: repo, private: true }
    await call('POST /api/v1/orgs/{org}/repos', { as: keeper, params: { org: 'guild' }, body })
    await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', {
      as: keeper,
      params: { id, org: 'guild', repo },
    })
    assert.equal((await ask(OFFER, repo, giver, { new_owner: 'taker' })).status, 201)
    assert.equal((await ask(SHOW, repo, taker)).status, 200)
    assert.ok([200, 204].includes((await end(id, giver, repo)).status))
    await isVoid(repo)
  })
}

test(`${ACCEPT} finds no offer of an earlier owner`, async () => {
  const { giver, repo } = await offered()
  assert.equal((await ask(OFFER, repo, keeper, { new_owner: 'keeper' })).status, 202)
  const params = { owner: 'keeper', repo }
  for (const literal of [SHOW, ACCEPT])
    holdRefusal(await call(literal, { as: taker, params }), 404, 'not found')
  holdRefusal(await call(SHOW, { as: giver, params }), 404, 'not found')
})

test(`${ACCEPT} accepts the offer of a user, unless that user is prohibited from signing in`, async () => {
  const [giver, body] = [await make.person({ name: 'giver' }), { name: 'own', private: true }]
  const params = { owner: 'giver', repo: 'own' }
  assert.equal((await call('POST /api/v1/user/repos', { as: giver, body })).status, 201)
  assert.equal((await call(OFFER, { as: giver, params, body: { new_owner: 'taker' } })).status, 201)
  await edit(giver, { prohibit_login: true })
  holdRefusal(await call(ACCEPT, { as: taker, params }), 404, 'not found')
  await edit(giver, { prohibit_login: false })
  assert.equal((await call(ACCEPT, { as: taker, params })).status, 202)
})
