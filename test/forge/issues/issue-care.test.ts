import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make, clock } = await startApp()
const [owner, ada, bob] = await make.people('Owner', 'ada', 'bob')

const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}'
const CHANGE = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
const COMMENT = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const REACT = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/reactions'
const REACT_TO_COMMENT = 'POST /api/v1/repos/{owner}/{repo}/issues/comments/{id}/reactions'
const UNREACT = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/reactions'
const PIN = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/pin'
const UNPIN = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/pin'
const MOVE = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}/pin/{position}'
const PINNED = 'GET /api/v1/repos/{owner}/{repo}/issues/pinned'
const ALLOWED = 'GET /api/v1/repos/{owner}/{repo}/new_pin_allowed'
const LOCK = 'PUT /api/v1/repos/{owner}/{repo}/issues/{index}/lock'
const UNLOCK = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/lock'
const DEADLINE = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/deadline'

const ask = (
  literal: string,
  repo: Repo,
  more: { index?: number; body?: unknown; as?: { authorization: string }; [param: string]: unknown } = {},
) => {
  const { index = 1, body, as = owner, position = 1, id = 0 } = more
  return call(literal, {
    as,
    params: at(repo, { index, position: Number(position), id: Number(id) }),
    ...(body !== undefined && { body }),
  })
}

/** A repository with so many issues. */
async function tracker(issues = 1, draft: { is_private?: boolean } = {}): Promise<Repo> {
  const repo = await make.repository(owner, draft)
  for (let n = 1; n <= issues; n++) await ask(OPEN, repo, { body: { title: `issue ${n}` } })
  return repo
}

const pinned = async (repo: Repo): Promise<number[]> =>
  (await ask(PINNED, repo)).body.map(({ number }: { number: number }) => number)

test(`${CHANGE} overwrites no text that has changed since the caller read it`, async () => {
  const repo = await tracker()
  const change = (body: object) => ask(CHANGE, repo, { body })
  assert.equal((await ask(SHOW, repo)).body.content_version, 0)
  assert.equal((await change({ body: 'one', content_version: 0 })).body.content_version, 1)
  const { status, body } = await change({ body: 'two', content_version: 0 })
  assert.deepEqual([status, body.message], [409, 'the issue is already changed'])
  assert.equal((await change({ title: 'another', content_version: 1 })).body.content_version, 1)
  const both = await Promise.all(['a', 'b'].map((text) => change({ body: text, content_version: 1 })))
  assert.deepEqual(both.map((each) => each.status).sort(), [201, 409])
  const { body: last } = await change({ body: 'whoever', content_version: null })
  assert.deepEqual([last.body, last.content_version], ['whoever', 3])
})

test(`${PIN}, ${UNPIN} and ${MOVE} say which issues are pinned, and in which order`, async () => {
  const repo = await tracker(4)
  assert.deepEqual(await pinned(repo), [])
  assert.deepEqual((await ask(ALLOWED, repo)).body, { issues: true, pull_requests: true })
  for (const index of [2, 1, 2, 3]) assert.equal((await ask(PIN, repo, { index })).status, 204)
  assert.deepEqual(await pinned(repo), [2, 1, 3])
  const orders = await Promise.all(
    [1, 2, 3, 4].map(async (index) => (await ask(SHOW, repo, { index })).body.pin_order),
  )
  assert.deepEqual(orders, [2, 1, 3, 0])
  assert.deepEqual((await ask(ALLOWED, repo)).body, { issues: false, pull_requests: true })
  holdRefusal(await ask(PIN, repo, { index: 4 }), 400, 'a repository has at most 3 pinned issues')
  assert.equal((await ask(MOVE, repo, { index: 3, position: 1 })).status, 204)
  assert.deepEqual(await pinned(repo), [3, 2, 1])
  assert.equal((await ask(MOVE, repo, { index: 3, position: 2 })).status, 204)
  assert.deepEqual(await pinned(repo), [2, 3, 1])
  for (const position of [0, 4, 10 ** 18])
    holdRefusal(await ask(MOVE, repo, { index: 3, position }), 422, 'the places of pinned issues are 1 to 3')
  holdRefusal(await ask(MOVE, repo, { index: 4 }), 404, 'not found')
  assert.deepEqual(await pinned(repo), [2, 3, 1])
  for (let twice = 0; twice < 2; twice++) assert.equal((await ask(UNPIN, repo, { index: 2 })).status, 204)
  assert.deepEqual(await pinned(repo), [3, 1])
  assert.equal(
    (await ask('DELETE /api/v1/repos/{owner}/{repo}/issues/{index}', repo, { index: 3 })).status,
    204,
  )
  assert.deepEqual(await pinned(repo), [1])
  assert.equal((await ask(SHOW, repo, { index: 1 })).body.pin_order, 1)
  await ask(PIN, repo, { index: 4 })
  assert.deepEqual(await pinned(repo), [1, 4])
})

test(`${PIN} by many at once pins no more than three`, async () => {
  const repo = await tracker(6)
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => ask(PIN, repo, { index })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 204, 204, 400, 400, 400])
  assert.equal((await pinned(repo)).length, 3)
  const rows = await pool`select distinct place from forge.issue_pin where repository_id = ${repo.id}`
  assert.equal(rows.length, 3)
})

test(`${LOCK} and ${UNLOCK} say who may comment and react`, async () => {
  const repo = await tracker()
  const comment = (await ask(COMMENT, repo, { as: ada, body: { body: 'before' } })).body.id
  await ask(REACT, repo, { as: ada, body: { content: 'heart' } })
  for (let twice = 0; twice < 2; twice++)
    assert.equal((await ask(LOCK, repo, { body: { lock_reason: 'resolved' } })).status, 204)
  assert.equal((await ask(SHOW, repo)).body.is_locked, true)
  const sentence =
    'the issue is locked: only those who may write to the issues can comment on it or react to it'
  holdRefusal(await ask(COMMENT, repo, { as: ada, body: { body: 'after' } }), 403, sentence)
  holdRefusal(await ask(REACT, repo, { as: ada, body: { content: 'eyes' } }), 403, sentence)
  holdRefusal(await ask(UNREACT, repo, { as: ada, body: { content: 'heart' } }), 403, sentence)
  holdRefusal(
    await ask(REACT_TO_COMMENT, repo, { as: ada, id: comment, body: { content: 'eyes' } }),
    403,
    sentence,
  )
  const rows = await pool`select id from forge.issue_comment where body = 'after'`
  assert.equal(rows.length, 0)
  assert.equal((await ask(COMMENT, repo, { body: { body: 'closed for now' } })).status, 201)
  assert.equal((await ask(REACT, repo, { body: { content: 'eyes' } })).status, 201)
  for (let twice = 0; twice < 2; twice++) assert.equal((await ask(UNLOCK, repo)).status, 204)
  assert.equal((await ask(SHOW, repo)).body.is_locked, false)
  assert.equal((await ask(COMMENT, repo, { as: ada, body: { body: 'again' } })).status, 201)
  const entries = await pool<{ action: string; details: object }[]>`
    select action, details from forge.audit where target_name = ${`Owner/${repo.name}#1`} order by id`
  assert.deepEqual(
    entries.map(({ action, details }) => [action, details]),
    [
      ['issue.locked', { reason: 'resolved' }],
      ['issue.unlocked', {}],
    ],
  )
  for (const body of [{ lock_reason: 7 }, { lock_reason: 'x'.repeat(256) }, [], ''])
    assert.equal((await ask(LOCK, repo, { body })).status, 422, JSON.stringify(body))
})

test(`${DEADLINE} and ${CHANGE} set until when an issue is to be done`, async () => {
  const repo = await tracker()
  const due = async () => (await ask(SHOW, repo)).body.due_date
  clock.tick(1000)
  const set = await ask(DEADLINE, repo, { body: { due_date: '2026-11-01T00:00:00+02:00' } })
  assert.deepEqual([set.status, set.body], [201, { due_date: '2026-11-01T23:59:59Z' }])
  const shown = (await ask(SHOW, repo)).body
  assert.deepEqual(
    [shown.due_date, shown.updated_at],
    ['2026-11-01T23:59:59Z', `${clock.now().toISOString().slice(0, 19)}Z`],
  )
  clock.tick(1000)
  const same = await ask(CHANGE, repo, { body: { due_date: '2026-11-01T10:00:00Z' } })
  assert.equal(same.body.updated_at, shown.updated_at, 'an equal value is no change')
  assert.equal((await ask(CHANGE, repo, { body: { title: 'It drips' } })).body.due_date, shown.due_date)
  assert.equal(
    (await ask(CHANGE, repo, { body: { due_date: '2026-12-24T10:00:00Z' } })).body.due_date,
    '2026-12-24T23:59:59Z',
  )
  assert.equal((await ask(CHANGE, repo, { body: { unset_due_date: true } })).body.due_date, null)
  await ask(DEADLINE, repo, { body: { due_date: '2026-11-01T00:00:00Z' } })
  assert.deepEqual((await ask(DEADLINE, repo, { body: { due_date: null } })).body, { due_date: null })
  await ask(DEADLINE, repo, { body: { due_date: '2026-11-01T00:00:00Z' } })
  for (const body of [{ due_date: 'soon' }, { due_date: 7 }, [], ''])
    assert.equal((await ask(DEADLINE, repo, { body })).status, 422, JSON.stringify(body))
  assert.equal(await due(), '2026-11-01T23:59:59Z')
  assert.equal((await ask(CHANGE, repo, { body: { due_date: '' } })).body.due_date, null)
  const opened = await ask(OPEN, repo, { body: { title: 'x', due_date: '2026-11-01T10:20:30Z' } })
  assert.equal(opened.body.due_date, '2026-11-01T10:20:30Z')
})

test(`${OPEN} and ${CHANGE} pass over the deadline of a caller who may only read`, async () => {
  const repo = await tracker(0)
  const due_date = '2026-11-01T00:00:00Z'
  assert.equal((await ask(OPEN, repo, { as: ada, body: { title: 'x', due_date } })).body.due_date, null)
  assert.equal((await ask(CHANGE, repo, { as: ada, body: { due_date } })).body.due_date, null)
  await ask(DEADLINE, repo, { body: { due_date } })
  const unchanged = await ask(CHANGE, repo, { as: ada, body: { unset_due_date: true, title: 'y' } })
  assert.deepEqual([unchanged.body.title, unchanged.body.due_date], ['y', '2026-11-01T23:59:59Z'])
})

for (const [literal, sentence] of [
  [PIN, 'user should be an owner or a collaborator with admin write of a repository'],
  [UNPIN, 'user should be an owner or a collaborator with admin write of a repository'],
  [MOVE, 'user should be an owner or a collaborator with admin write of a repository'],
  [LOCK, 'user should be an owner or a collaborator with admin write of a repository'],
  [UNLOCK, 'user should be an owner or a collaborator with admin write of a repository'],
  [DEADLINE, 'user should have permission to write to the issues of the repository'],
] as const) {
  test(`${literal} is for those who look after the issues, and knows issues of the repository only`, async () => {
    const [repo, secret] = [await tracker(), await tracker(1, { is_private: true })]
    const body = literal === LOCK || literal === DEADLINE ? { body: {} } : {}
    assert.equal((await call(literal, { params: at(repo, { index: 1, position: 1 }), ...body })).status, 401)
    holdRefusal(await ask(literal, repo, { as: bob, ...body }), 403, sentence)
    holdRefusal(await ask(literal, secret, { as: bob, ...body }), 404, 'not found')
    for (const index of [2, 0, 10 ** 18])
      holdRefusal(await ask(literal, repo, { index, ...body }), 404, 'not found')
    const token = bearer(await make.token(owner, 'read:issue', 'write:repository'))
    assert.match((await ask(literal, repo, { as: token, ...body })).body.message, /required=\[write:issue\]/)
    await call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: owner,
      params: at(repo),
      body: { archived: true },
    })
    assert.equal((await ask(literal, repo, body)).status, 423)
    const { is_locked, pin_order, due_date } = (await ask(SHOW, repo)).body
    assert.deepEqual([is_locked, pin_order, due_date], [false, 0, null])
  })
}

for (const literal of [PINNED, ALLOWED]) {
  test(`${literal} is for those who may read the issues`, async () => {
    const [repo, secret] = [await tracker(), await tracker(1, { is_private: true })]
    assert.equal((await call(literal, { params: at(repo) })).status, 200)
    holdRefusal(await ask(literal, secret, { as: bob }), 404, 'not found')
  })
}
