import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import type { Somebody } from '../../support/forge/make.ts'

const { call, make, pool } = await startApp()
const [owner, ada, bob, eve, stranger] = await make.people('owner', 'ada', 'bob', 'eve', 'stranger')
const ISSUES = '/api/v1/repos/{owner}/{repo}/issues'
const ADD = `POST ${ISSUES}/{index}/assignees`
const REMOVE = `DELETE ${ISSUES}/{index}/assignees`
const CHECK = `GET ${ISSUES}/{index}/assignees/{assignee}`
const COLLABORATOR = '/api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'

/** A repository with an issue, that `ada` and `bob` may write to and `eve` may read. */
async function startIssue() {
  const { name: repo } = await make.repository(owner)
  const params = { owner: 'owner', repo, index: 1 }
  for (const [who, permission] of [
    [ada, 'write'],
    [bob, 'write'],
    [eve, 'read'],
  ] as const)
    await call(`PUT ${COLLABORATOR}`, {
      as: owner,
      params: { ...params, collaborator: who.name },
      body: { permission },
    })
  await call(`POST ${ISSUES}`, { as: eve, params, body: { title: 'It leaks' } })
  return params
}

type Params = Awaited<ReturnType<typeof startIssue>>

const change = (literal: string, params: Params, body: unknown, as: Somebody = ada) =>
  call(literal, { as, params, body })

const logins = ({ body }: { body: { assignees: { login: string }[] } }) =>
  body.assignees.map(({ login }) => login)

test(`${ADD} and ${REMOVE} change only the assignees that they name`, async () => {
  const params = await startIssue()
  const added = await change(ADD, params, { assignees: ['ADA', 'ada', ''] })
  assert.deepEqual([added.status, logins(added), added.body.assignee.login], [201, ['ada'], 'ada'])
  assert.deepEqual(logins(await change(ADD, params, { assignees: ['owner', 'ada'] })), ['owner', 'ada'])
  assert.deepEqual(logins(await change(ADD, params, {})), ['owner', 'ada'])
  const removed = await change(REMOVE, params, { assignees: ['Ada', 'bob'] })
  assert.deepEqual([removed.status, logins(removed)], [200, ['owner']])
  assert.deepEqual(logins(await change(REMOVE, params, { assignees: null })), ['owner'])
  const messages = await queuedMessages(pool)
  assert.deepEqual(
    messages.flatMap(({ event, payload }) => (event === 'issue_assign' ? payload.action : [])),
    ['assigned', 'assigned', 'unassigned'],
  )
  const activities = await pool<{ accounts: number[] }[]>`
    select payload -> 'accounts' as accounts from forge.event
    where kind = 'issue.activity' and payload ->> 'audience' = 'false' order by id`
  assert.deepEqual(
    activities.map(({ accounts }) => accounts),
    [[ada.id], [owner.id]],
  )
  const timeline = await call(`GET ${ISSUES}/{index}/timeline`, { params })
  assert.deepEqual(
    timeline.body.map((each: Record<string, unknown> & { assignee: { login: string } }) => [
      each.type,
      each.assignee.login,
      each.removed_assignee,
    ]),
    [
      ['assignees', 'ada', false],
      ['assignees', 'owner', false],
      ['assignees', 'ada', true],
    ],
  )
})

test(`${ADD} and ${REMOVE} refuse unknown users and users who may not write, and then change nothing`, async () => {
  const params = await startIssue()
  await change(ADD, params, { assignees: ['bob'] })
  const unknown = 'Assignee does not exist: [name: nobody]'
  for (const [literal, assignees, sentence] of [
    [ADD, ['ada', 'nobody'], unknown],
    [REMOVE, ['bob', 'nobody'], unknown],
    [ADD, ['ada', 'eve'], 'user does not have access to the repository [name: eve]'],
    [ADD, Array.from({ length: 101 }, (_, n) => `n${n}`), 'an issue has at most 100 assignees'],
    [REMOVE, Array.from({ length: 101 }, (_, n) => `n${n}`), 'an issue has at most 100 assignees'],
  ] as const) {
    const { status, body } = await change(literal, params, { assignees })
    assert.deepEqual([status, body.message], [422, sentence])
  }
  for (const body of [{ assignees: 'ada' }, { assignees: [7] }, [], 'ada'])
    for (const literal of [ADD, REMOVE]) assert.equal((await change(literal, params, body)).status, 422)
  assert.deepEqual(logins(await call(`GET ${ISSUES}/{index}`, { params })), ['bob'])
})

test(`${REMOVE} removes users who have lost access, and does not reveal private users`, async () => {
  const params = await startIssue()
  const hidden = await make.person({ name: 'hidden', visibility: 'private' })
  await make.person({ name: 'secret', visibility: 'private' })
  const access = { params: { ...params, collaborator: hidden.name }, as: await make.admin() }
  await call(`PUT ${COLLABORATOR}`, { ...access, body: { permission: 'write' } })
  assert.deepEqual(logins(await change(ADD, params, { assignees: ['hidden'] })), ['hidden'])
  await call(`DELETE ${COLLABORATOR}`, access)
  for (const name of ['secret', 'nobody']) {
    const { status, body } = await change(REMOVE, params, { assignees: [name] })
    assert.deepEqual([status, body.message], [422, `Assignee does not exist: [name: ${name}]`])
  }
  assert.deepEqual(logins(await change(REMOVE, params, { assignees: ['hidden'] })), [])
  assert.equal((await change(REMOVE, params, { assignees: ['hidden'] })).status, 422)
})

test(`${ADD} keeps an issue to a hundred assignees`, async () => {
  const params = await startIssue()
  const names = Array.from({ length: 100 }, (_, n) => `writer${n}`)
  const writers = await make.people(...names)
  const guild = await make.organization(owner, { name: 'guild' })
  const { name: repo } = await make.repository({ id: guild.id, name: 'guild' })
  const team = await make.team(guild, writers, { units: { 'repo.issues': 'write' }, name: 'writers' })
  await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', {
    as: owner,
    params: { id: team.id, org: 'guild', repo },
  })
  const there = { ...params, owner: 'guild', repo }
  await call(`POST ${ISSUES}`, { as: owner, params: there, body: { title: 'x' } })
  assert.equal(logins(await change(ADD, there, { assignees: names }, owner)).length, 100)
  assert.equal((await change(ADD, there, { assignees: ['owner'] }, owner)).status, 422)
  assert.equal((await change(REMOVE, there, { assignees: names.slice(1) }, owner)).body.assignees.length, 1)
})

test(`${ADD} and ${REMOVE} are for who may write to the issues`, async () => {
  const params = await startIssue()
  for (const literal of [ADD, REMOVE]) {
    for (const as of [eve, stranger])
      assert.equal((await change(literal, params, { assignees: ['ada'] }, as)).status, 403)
    assert.equal((await call(literal, { params, body: {} })).status, 401)
    assert.equal((await change(literal, { ...params, index: 9 }, {})).status, 404)
  }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: owner, params, body: { archived: true } })
  for (const literal of [ADD, REMOVE]) assert.equal((await change(literal, params, {})).status, 423)
})

test(`${CHECK} says who can be assigned to an issue`, async () => {
  const params = await startIssue()
  const canBe = async (assignee: string, index = 1) =>
    (await call(CHECK, { params: { ...params, index, assignee } })).status
  assert.deepEqual([await canBe('ada'), await canBe('eve'), await canBe('nobody')], [204, 404, 404])
  assert.equal(await canBe('ada', 2), 404)
})
