import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const [owner, ada] = await make.people('Owner', 'ada')

const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const CHANGE = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
const LIST = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/dependencies'
const ADD = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/dependencies'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/dependencies'
const BLOCKED = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/blocks'
const BLOCK = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/blocks'
const UNBLOCK = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/blocks'

const ask = (
  literal: string,
  repo: Repo,
  more: { index?: number; body?: unknown; as?: { authorization: string } } = {},
) => {
  const { index = 1, body, as = owner } = more
  return call(literal, { as, params: at(repo, { index }), ...(body !== undefined && { body }) })
}

/** A repository with so many issues. */
async function tracker(issues = 3, draft: { is_private?: boolean } = {}): Promise<Repo> {
  const repo = await make.repository(owner, draft)
  for (let n = 1; n <= issues; n++) await ask(OPEN, repo, { body: { title: `issue ${n}` } })
  return repo
}

const numbers = (body: { number: number }[]) => body.map(({ number }) => number)
const listed = async (literal: string, repo: Repo, index: number) =>
  numbers((await ask(literal, repo, { index })).body)
const rowsOf = (repo: Repo) => pool`
  select issue_id from forge.issue_dependency
  join forge.issue on issue.id = issue_id
  where repository_id = ${repo.id}`

test(`${ADD} and ${BLOCK} let issues wait for others, ${LIST} and ${BLOCKED} show them`, async () => {
  const repo = await tracker()
  const added = await ask(ADD, repo, { index: 1, body: { index: 2, owner: 'owner', repo: repo.name } })
  assert.deepEqual([added.status, added.body.number], [201, 1])
  const blocked = await ask(BLOCK, repo, { index: 3, body: { index: 1 } })
  assert.deepEqual([blocked.status, blocked.body.number], [201, 3])
  assert.deepEqual(await listed(LIST, repo, 1), [2, 3])
  assert.deepEqual(await listed(LIST, repo, 2), [])
  assert.deepEqual([await listed(BLOCKED, repo, 2), await listed(BLOCKED, repo, 3)], [[1], [1]])
  const page = await call(LIST, { params: at(repo, { index: 1 }), query: { limit: 1, page: 2 } })
  assert.deepEqual([numbers(page.body), page.headers.get('x-total-count')], [[3], '2'])
  assert.equal((await ask(REMOVE, repo, { index: 1, body: { index: 2 } })).status, 201)
  holdRefusal(await ask(REMOVE, repo, { index: 1, body: { index: 2 } }), 404, 'not found')
  assert.equal((await ask(UNBLOCK, repo, { index: 3, body: { index: 1 } })).status, 201)
  holdRefusal(await ask(UNBLOCK, repo, { index: 3, body: { index: 1 } }), 404, 'not found')
  assert.equal((await rowsOf(repo)).length, 0)
})

test(`${CHANGE} closes no issue that waits for one that is open`, async () => {
  const repo = await tracker(2)
  await ask(ADD, repo, { index: 1, body: { index: 2 } })
  const close = (index: number, more: object = {}) =>
    ask(CHANGE, repo, { index, body: { state: 'closed', ...more } })
  holdRefusal(await close(1, { title: 'changed' }), 412, 'the issue waits for others that are open')
  assert.equal((await ask(CHANGE, repo, { index: 1, body: { title: 'kept open' } })).body.state, 'open')
  assert.equal((await close(2)).body.state, 'closed')
  assert.equal((await close(1)).body.title, 'kept open')
  await ask(CHANGE, repo, { index: 2, body: { state: 'open' } })
  assert.equal((await close(1)).status, 201, 'what is closed already stays so')
})

test(`${ADD} and ${BLOCK} refuse what is there, circles, and issues that are not there`, async () => {
  const repo = await tracker()
  await ask(ADD, repo, { index: 1, body: { index: 2 } })
  await ask(ADD, repo, { index: 2, body: { index: 3 } })
  holdRefusal(
    await ask(ADD, repo, { index: 1, body: { index: 2 } }),
    409,
    'the issue waits for that one already',
  )
  holdRefusal(
    await ask(BLOCK, repo, { index: 2, body: { index: 1 } }),
    409,
    'the issue waits for that one already',
  )
  const circle = 'an issue cannot wait for itself, directly or through others'
  for (const [literal, index, other] of [
    [ADD, 1, 1],
    [ADD, 2, 1],
    [ADD, 3, 1],
    [BLOCK, 1, 3],
  ] as const)
    holdRefusal(await ask(literal, repo, { index, body: { index: other } }), 422, circle)
  for (const body of [{}, { index: 0 }, { index: -1 }])
    for (const literal of [ADD, REMOVE, BLOCK, UNBLOCK])
      holdRefusal(await ask(literal, repo, { body }), 422, '[Index]: Required')
  for (const body of [
    { index: 4 },
    { index: 3, repo: 'nowhere' },
    { index: 3, owner: 'nobody' },
    { index: 3, owner: '../x' },
  ])
    for (const literal of [ADD, REMOVE, BLOCK, UNBLOCK])
      holdRefusal(await ask(literal, repo, { body }), 404, 'not found')
  for (const body of [
    { index: 'x' },
    { index: 1.5 },
    { index: 2, owner: 7 },
    [],
    '',
    { index: 2, repo: '\0' },
  ])
    for (const literal of [ADD, REMOVE, BLOCK, UNBLOCK])
      assert.equal((await ask(literal, repo, { body })).status, 422, JSON.stringify(body))
  for (const literal of [ADD, REMOVE, BLOCK, UNBLOCK])
    holdRefusal(await ask(literal, repo, { index: 4, body: { index: 1 } }), 404, 'not found')
  assert.equal((await rowsOf(repo)).length, 2)
})

test(`${ADD} by many at once makes no circle`, async () => {
  const repo = await tracker(4)
  const answers = await Promise.all(
    [1, 2, 3, 4].flatMap((index) => [
      ask(ADD, repo, { index, body: { index: (index % 4) + 1 } }),
      ask(CHANGE, repo, { index, body: { title: 'x' } }),
    ]),
  )
  const statuses = answers.filter((_, at) => at % 2 === 0).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [201, 201, 201, 422])
  assert.equal((await rowsOf(repo)).length, 3)
})

test('An issue waits for issues of other repositories that the caller may read', async () => {
  const [repo, other, secret] = [await tracker(), await tracker(), await tracker(1, { is_private: true })]
  const guest = await make.repository(ada)
  await ask(ADD, repo, { body: { index: 2, owner: 'Owner', repo: other.name.toUpperCase() } })
  await ask(ADD, repo, { body: { index: 1, repo: secret.name } })
  const [, hidden] = (await ask(LIST, repo)).body
  assert.equal(hidden.repository.full_name, `Owner/${secret.name}`)
  const seen = await ask(LIST, repo, { as: ada })
  assert.deepEqual([seen.body.length, seen.headers.get('x-total-count')], [1, '1'])
  assert.equal(seen.body[0].repository.full_name, `Owner/${other.name}`)
  assert.deepEqual((await ask(BLOCKED, other, { index: 2 })).body.length, 1)
  await call(OPEN, { as: ada, params: { owner: 'ada', repo: guest.name }, body: { title: 'mine' } })
  const mine = { owner: 'ada', repo: guest.name, index: 1 }
  const body = { index: 1, owner: 'owner', repo: secret.name }
  holdRefusal(await call(ADD, { as: ada, params: mine, body }), 404, 'not found')
  assert.equal((await call(ADD, { as: ada, params: mine, body: { ...body, repo: other.name } })).status, 201)
  const toMine = { index: 1, owner: 'ada', repo: guest.name }
  holdRefusal(await ask(BLOCK, other, { index: 2, body: toMine }), 404, 'not found')
  assert.equal((await ask(BLOCK, other, { index: 2, as: ada, body: toMine })).status, 201)
  holdRefusal(await ask(BLOCK, other, { index: 2, as: ada, body: { index: 3 } }), 404, 'not found')
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: mine, body: { archived: true } })
  const sentence = 'the repository of the other issue is archived'
  holdRefusal(await ask(UNBLOCK, other, { index: 2, as: ada, body: toMine }), 423, sentence)
  await ask('DELETE /api/v1/repos/{owner}/{repo}/issues/{index}', other, { index: 2 })
  assert.equal((await ask(LIST, repo)).body.length, 1)
})

for (const literal of [ADD, REMOVE, BLOCK, UNBLOCK]) {
  test(`${literal} is for those who may write to the issues that wait`, async () => {
    const [repo, secret] = [await tracker(2), await tracker(2, { is_private: true })]
    const body = { index: 2 }
    assert.equal((await call(literal, { params: at(repo, { index: 1 }), body })).status, 401)
    const refused = await ask(literal, repo, { as: ada, body })
    assert.equal(refused.status, literal === ADD || literal === REMOVE ? 403 : 404)
    holdRefusal(await ask(literal, secret, { as: ada, body }), 404, 'not found')
    const token = bearer(await make.token(owner, 'read:issue', 'write:repository'))
    assert.match((await ask(literal, repo, { as: token, body })).body.message, /required=\[write:issue\]/)
    await call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: owner,
      params: at(repo),
      body: { archived: true },
    })
    assert.equal((await ask(literal, repo, { body })).status, 423)
    assert.equal((await rowsOf(repo)).length, 0)
  })
}

for (const literal of [LIST, BLOCKED]) {
  test(`${literal} is for those who may read the issue`, async () => {
    const [repo, secret] = [await tracker(1), await tracker(1, { is_private: true })]
    assert.equal((await call(literal, { params: at(repo, { index: 1 }) })).status, 200)
    holdRefusal(await ask(literal, repo, { index: 2 }), 404, 'not found')
    holdRefusal(await ask(literal, secret, { as: ada }), 404, 'not found')
  })
}
