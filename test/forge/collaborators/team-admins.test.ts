import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const [ada, eve, bob, ben] = [
  await make.person({ name: 'ada' }),
  await make.person({ name: 'eve' }),
  await make.person({ name: 'bob' }),
  await make.person({ name: 'ben' }),
]
const guild = await make.organization(ada, { name: 'guild' })
await make.team(guild, [eve], { name: 'all', permission: 'admin', includes_all_repositories: true })
await make.team(guild, [bob], { name: 'none', permission: 'admin' })
const units = { 'repo.code': 'admin', 'repo.actions': 'admin' } as const
await make.team(guild, [ben], { name: 'units', permission: 'write', units, includes_all_repositories: true })

for (const name of ['tool', 'gone', 'moved'])
  await call('POST /api/v1/orgs/{org}/repos', {
    as: ada,
    params: { org: 'guild' },
    body: { name, private: true },
  })
const params = { owner: 'guild', repo: 'tool' }

const PERMISSION = 'GET /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}/permission'
test(`${PERMISSION}: a team with admin has its repositories as an owner`, async () => {
  const permissionOf = async (collaborator: string) => {
    const { body } = await call(PERMISSION, { as: ada, params: { ...params, collaborator } })
    return body.permission
  }
  assert.deepEqual(
    [await permissionOf('eve'), await permissionOf('bob'), await permissionOf('ben')],
    ['owner', 'none', 'admin'],
  )
})

const ACTS = [
  [
    'PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}',
    { secretname: 'KEY' },
    { data: 'x' },
    201,
  ],
  ['GET /api/v1/repos/{owner}/{repo}/actions/secrets', {}, undefined, 200],
  [
    'POST /api/v1/repos/{owner}/{repo}/actions/variables/{variablename}',
    { variablename: 'V' },
    { value: 'x' },
    201,
  ],
  ['GET /api/v1/repos/{owner}/{repo}/actions/runners', {}, undefined, 200],
  ['POST /api/v1/repos/{owner}/{repo}/actions/runners/registration-token', {}, undefined, 200],
  ['DELETE /api/v1/repos/{owner}/{repo}', { repo: 'gone' }, undefined, 204],
] as const

for (const [route, more, body, status] of ACTS)
  test(`${route}: teams with admin may, those with the unit may not`, async () => {
    const asked = { params: { ...params, ...more }, ...(body && { body }) }
    assert.equal((await call(route, { as: ben, ...asked })).status, 403)
    assert.equal((await call(route, { as: bob, ...asked })).status, 404)
    assert.equal((await call(route, { as: eve, ...asked })).status, status)
  })

const TRANSFER = 'POST /api/v1/repos/{owner}/{repo}/transfer'
const ACCEPT = 'POST /api/v1/repos/{owner}/{repo}/transfer/accept'
test(`${TRANSFER}: an offer of a team with admin holds as long as the team has the repository`, async () => {
  const asked = { params: { owner: 'guild', repo: 'moved' }, body: { new_owner: 'bob' } }
  assert.equal((await call(TRANSFER, { as: ben, ...asked })).status, 403)
  assert.equal((await call(TRANSFER, { as: eve, ...asked })).status, 201)
  const seen = () => call('GET /api/v1/repos/{owner}/{repo}', { as: bob, params: asked.params })
  assert.equal((await seen()).status, 200)
  const [team] = await app.pool<{ id: number }[]>`
    update forge.team set includes_all_repositories = false where name = 'all' returning id`
  assert.equal((await seen()).status, 404)
  await app.pool`update forge.team set includes_all_repositories = true where id = ${team?.id ?? 0}`
  const { status } = await call(ACCEPT, { as: bob, params: asked.params })
  assert.equal(status, 202)
})

test('DELETE /api/v1/orgs/{org}: a team with admin manages repositories, not the organization', async () => {
  assert.equal((await call('DELETE /api/v1/orgs/{org}', { as: eve, params: { org: 'guild' } })).status, 403)
  const secrets = 'GET /api/v1/orgs/{org}/actions/secrets'
  assert.equal((await call(secrets, { as: eve, params: { org: 'guild' } })).status, 403)
})
