import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'

const { call, make } = await startApp()
const REPO = '/api/v1/repos/{owner}/{repo}'
const CHECK = `GET ${REPO}/assignees/{assignee}`
const REVIEWERS = `GET ${REPO}/reviewers`

test(`${CHECK} says who can be assigned, and ${REVIEWERS} who may read pull requests by a right of their own`, async () => {
  const [ada, writer, reader, member, stranger] = await make.people(
    'ada',
    'writer',
    'reader',
    'member',
    'stranger',
  )
  const hidden = await make.person({ name: 'hidden', visibility: 'private' })
  const guild = await make.organization(ada, { name: 'guild' })
  const { name: repo } = await make.repository({ id: guild.id, name: 'guild' })
  const params = { owner: 'guild', repo }
  for (const [who, permission] of [
    [writer, 'write'],
    [reader, 'read'],
    [hidden, 'write'],
  ] as const)
    await call(`PUT ${REPO}/collaborators/{collaborator}`, {
      as: await make.admin(),
      params: { ...params, collaborator: who.name },
      body: { permission },
    })
  const team = await make.team(guild, [member], {
    units: { 'repo.code': 'read', 'repo.pulls': 'read' },
    name: 'readers',
  })
  await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', {
    as: ada,
    params: { id: team.id, org: 'guild', repo },
  })
  const canBe = async (assignee: string) => (await call(CHECK, { params: { ...params, assignee } })).status
  for (const [name, status] of [
    ['ada', 204],
    ['WRITER', 204],
    ['hidden', 204],
    ['reader', 404],
    ['member', 404],
    ['stranger', 404],
    ['guild', 404],
    ['nobody', 404],
    ['x'.repeat(300), 404],
  ] as const)
    assert.equal(await canBe(name), status, name)
  const answered = await call(REVIEWERS, { as: stranger, params, query: { limit: 2 } })
  const logins = (body: { login: string }[]) => body.map(({ login }) => login)
  assert.deepEqual(logins(answered.body), ['ada', 'hidden'])
  assert.equal(answered.headers.get('x-total-count'), '5')
  const all = await call(REVIEWERS, { params })
  assert.deepEqual(logins(all.body), ['ada', 'hidden', 'member', 'reader', 'writer'])
  await call(`PATCH ${REPO}`, { as: ada, params, body: { private: true } })
  for (const literal of [CHECK, REVIEWERS])
    assert.equal((await call(literal, { as: stranger, params: { ...params, assignee: 'ada' } })).status, 404)
})
