import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const [owner, ada] = await make.people('Owner', 'ada')

const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const CHANGE = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
const LIST = 'GET /api/v1/repos/{owner}/{repo}/issues'
const SEARCH = 'GET /api/v1/repos/issues/search'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}'
const SHOW_MILESTONE = 'GET /api/v1/repos/{owner}/{repo}/milestones/{id}'

const open = async (repo: Repo, body: object = {}, as: Somebody = owner) =>
  call(OPEN, { as, params: at(repo), body: { title: 'It leaks', ...body } })
const change = (repo: Repo, body: object, as: Somebody = owner, index = 1) =>
  call(CHANGE, { as, params: at(repo, { index }), body })
const milestone = async (repo: Repo, title: string): Promise<number> =>
  (
    await call('POST /api/v1/repos/{owner}/{repo}/milestones', {
      as: owner,
      params: at(repo),
      body: { title },
    })
  ).body.id
const counts = async (repo: Repo, id: number) => {
  const { body } = await call(SHOW_MILESTONE, { params: at(repo, { id }) })
  return [body.open_issues, body.closed_issues]
}

test(`${OPEN} and ${CHANGE} set the milestone of an issue, whose counts follow`, async () => {
  const repo = await make.repository(owner)
  const [first, second] = [await milestone(repo, 'first'), await milestone(repo, 'second')]
  const { body } = await open(repo, { milestone: first })
  assert.deepEqual([body.milestone.title, body.milestone.open_issues], ['first', 1])
  const shown = (await call(SHOW, { params: at(repo, { index: 1 }) })).body
  const alone = (await call(SHOW_MILESTONE, { params: at(repo, { id: first }) })).body
  assert.deepEqual(shown.milestone, alone)
  assert.equal((await open(repo, { closed: true, milestone: first })).body.milestone.closed_issues, 1)
  assert.deepEqual(await counts(repo, first), [1, 1])
  assert.equal((await change(repo, { title: 'It drips' })).body.milestone.id, first)
  assert.equal((await change(repo, { milestone: second })).body.milestone.id, second)
  assert.deepEqual(
    [await counts(repo, first), await counts(repo, second)],
    [
      [0, 1],
      [1, 0],
    ],
  )
  await change(repo, { milestone: second, state: 'closed' })
  assert.deepEqual(await counts(repo, second), [0, 1])
  assert.equal((await change(repo, { milestone: 0, state: 'open' })).body.milestone, null)
  assert.deepEqual(await counts(repo, second), [0, 0])
  await call('DELETE /api/v1/repos/{owner}/{repo}/issues/{index}', {
    as: owner,
    params: at(repo, { index: 2 }),
  })
  assert.deepEqual(await counts(repo, first), [0, 0])
})

test(`${OPEN} and ${CHANGE} refuse a milestone that the repository does not have, and change nothing`, async () => {
  const [repo, other] = [await make.repository(owner), await make.repository(owner)]
  const [own, foreign] = [await milestone(repo, 'own'), await milestone(other, 'foreign')]
  await open(repo, { milestone: own })
  for (const id of [foreign, 987_654_321, -1]) {
    const sentence = `milestone does not exist [id: ${id}]`
    holdRefusal(await open(repo, { milestone: id }), 422, sentence)
    holdRefusal(await change(repo, { milestone: id, title: 'changed' }), 422, sentence)
  }
  for (const milestone of ['own', 1.5, [own], {}, 2 ** 60])
    assert.equal((await change(repo, { milestone })).status, 422, JSON.stringify(milestone))
  const { body } = await call(LIST, { params: at(repo), query: { state: 'all' } })
  assert.deepEqual(
    body.map((issue: { title: string; milestone: { id: number } }) => [issue.title, issue.milestone.id]),
    [['It leaks', own]],
  )
})

test(`${OPEN} and ${CHANGE} pass over the milestone of a caller who may only read`, async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'v1')
  assert.equal((await open(repo, { milestone: id }, ada)).body.milestone, null)
  const changed = await change(repo, { milestone: id, title: 'Mine' }, ada)
  assert.deepEqual([changed.status, changed.body.title, changed.body.milestone], [201, 'Mine', null])
})

test(`${LIST} and ${SEARCH} filter by milestones`, async () => {
  const repo = await make.repository(owner)
  const [first, second] = [await milestone(repo, 'first'), await milestone(repo, 'second')]
  const like = await milestone(repo, String(first))
  await open(repo, { title: 'one', milestone: first })
  await open(repo, { title: 'two', milestone: second })
  await open(repo, { title: 'three', milestone: like })
  await open(repo, { title: 'none' })
  const titles = (body: { title: string }[]) => body.map(({ title }) => title).sort()
  const list = async (milestones: string) =>
    titles((await call(LIST, { params: at(repo), query: { milestones } })).body)
  assert.deepEqual(await list('first'), ['one'])
  assert.deepEqual(await list('first,second'), ['one', 'two'])
  assert.deepEqual(await list(`${second}`), ['two'])
  assert.deepEqual(await list(`${first}`), ['three'], 'a title outweighs an id')
  assert.deepEqual(await list('first,unknown'), ['one'])
  for (const unknown of ['unknown', 'First', '0', "'"]) assert.deepEqual(await list(unknown), [], unknown)
  assert.equal((await list('')).length, 4)
  assert.equal((await list(',')).length, 4)
  const search = async (milestones: string) =>
    titles((await call(SEARCH, { as: owner, query: { milestones } })).body)
  assert.deepEqual(await search('second'), ['two'])
  assert.deepEqual(await search('unknown'), [])
})

test(`${OPEN} and ${CHANGE} send webhook events about the milestone`, async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'v1')
  await pool`delete from forge.event`
  await open(repo, { milestone: id })
  await change(repo, { milestone: id })
  await change(repo, { milestone: 0 })
  await change(repo, { milestone: id, title: 'Both' })
  const messages = await queuedMessages(pool)
  assert.deepEqual(
    messages.map(({ event, payload }) => [event, payload.action, payload.issue.milestone?.id ?? null]),
    [
      ['issues', 'opened', id],
      ['issue_milestone', 'milestoned', id],
      ['issue_milestone', 'demilestoned', null],
      ['issues', 'edited', id],
      ['issue_milestone', 'milestoned', id],
    ],
  )
})
