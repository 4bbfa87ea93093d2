import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make, clock } = await startApp()
const [owner, ada] = await make.people('Owner', 'ada')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/milestones'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/milestones'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/milestones/{id}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/milestones/{id}'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/milestones/{id}'
const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const CHANGE = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'

const ask = (
  literal: string,
  repo: Repo,
  more: { id?: number | string; body?: unknown; as?: Somebody; index?: number } = {},
) =>
  call(literal, {
    as: more.as ?? owner,
    params: at(repo, { id: more.id ?? 0, index: more.index ?? 0 }),
    ...(more.body !== undefined && { body: more.body }),
  })

async function milestone(repo: Repo, title: string, more: object = {}): Promise<number> {
  const { status, body } = await ask(CREATE, repo, { body: { title, ...more } })
  assert.equal(status, 201)
  return body.id
}

const titlesOf = (body: { title: string }[]) => body.map(({ title }) => title)
const rowsOf = (repo: Repo) => pool`select id from forge.milestone where repository_id = ${repo.id}`

test(`${CREATE} answers 201 with the milestone, and ${SHOW} shows it by id and by title`, async () => {
  const repo = await make.repository(owner)
  const draft = { title: ' v1 ', description: 'the *first*', due_on: '2026-10-31T10:20:30+02:00' }
  const { status, body } = await ask(CREATE, repo, { body: draft })
  const now = `${clock.now().toISOString().slice(0, 19)}Z`
  assert.equal(status, 201)
  assert.deepEqual(body, {
    id: body.id,
    title: 'v1',
    description: 'the *first*',
    state: 'open',
    open_issues: 0,
    closed_issues: 0,
    created_at: now,
    updated_at: now,
    closed_at: null,
    due_on: '2026-10-31T08:20:30Z',
  })
  for (const id of [body.id, 'v1']) assert.deepEqual((await ask(SHOW, repo, { id })).body, body)
  const closed = (await ask(CREATE, repo, { body: { title: 'v1', state: 'closed' } })).body
  assert.deepEqual([closed.state, closed.closed_at, closed.due_on], ['closed', now, null])
  assert.equal((await ask(SHOW, repo, { id: 'v1' })).body.id, body.id, 'the oldest of one title')
  const other = (await ask(CREATE, repo, { body: { title: 'v2', state: '' } })).body
  assert.equal(other.state, 'open')
})

test(`${SHOW} prefers the id to a title that looks like one`, async () => {
  const repo = await make.repository(owner)
  const first = await milestone(repo, 'first')
  const second = await milestone(repo, String(first))
  assert.equal((await ask(SHOW, repo, { id: first })).body.id, first)
  await ask(REMOVE, repo, { id: first })
  assert.equal((await ask(SHOW, repo, { id: first })).body.id, second)
})

test(`${CREATE} and ${EDIT} refuse invalid milestones, and change nothing`, async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'kept', { due_on: '2026-10-31T00:00:00Z' })
  const before = (await ask(SHOW, repo, { id })).body
  for (const literal of [CREATE, EDIT]) {
    for (const [body, message] of [
      [{ title: 'x'.repeat(256) }, '[Title]: MaxSize'],
      [{ title: 'x', description: 'x'.repeat(65_537) }, '[Description]: MaxSize'],
      [{ title: 'x', due_on: 'tomorrow' }, '[]: cannot read due_on: no date-time of RFC 3339'],
      [{ title: 'x', due_on: '2026-02-30T00:00:00Z' }, '[]: cannot read due_on: no date-time of RFC 3339'],
    ] as const)
      holdRefusal(await ask(literal, repo, { id, body }), 422, message)
    for (const body of [{ title: 7 }, { title: 'x', due_on: 7 }, { title: '\0' }, [], ''])
      assert.equal((await ask(literal, repo, { id, body })).status, 422, JSON.stringify(body))
  }
  for (const body of [{}, { title: '' }, { title: ' \t' }])
    holdRefusal(await ask(CREATE, repo, { body }), 422, '[Title]: Required')
  assert.deepEqual((await ask(SHOW, repo, { id })).body, before)
  assert.equal((await rowsOf(repo)).length, 1)
})

test(`${EDIT} changes the members of the request`, async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'v1', { description: 'first', due_on: '2026-10-31T10:20:30Z' })
  const edit = async (body: object) => {
    clock.tick(1000)
    const answer = await ask(EDIT, repo, { id, body })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.updated_at, `${clock.now().toISOString().slice(0, 19)}Z`)
    return answer.body
  }
  const same = await edit({})
  assert.deepEqual([same.title, same.description, same.due_on], ['v1', 'first', '2026-10-31T10:20:30Z'])
  assert.equal((await edit({ due_on: null })).due_on, '2026-10-31T10:20:30Z')
  assert.equal((await edit({ title: ' ' })).title, 'v1')
  assert.equal((await edit({ title: ' v2 ', description: '' })).title, 'v2')
  assert.equal((await ask(SHOW, repo, { id })).body.description, '')
  for (const [due_on, printed] of [
    ['2026-11-01T00:00:00+01:00', '2026-11-01T23:59:59Z'],
    ['2026-11-01T23:30:00-05:00', '2026-11-01T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['', null],
    ['2026-11-01T12:00:00Z', '2026-11-01T23:59:59Z'],
    ['0001-01-01T00:00:00Z', null],
  ] as const)
    assert.equal((await edit({ due_on })).due_on, printed, due_on)
  const closed = await edit({ state: 'closed' })
  assert.deepEqual([closed.state, closed.closed_at], ['closed', closed.updated_at])
  assert.equal((await edit({ state: 'closed' })).closed_at, closed.closed_at)
  assert.equal((await edit({ state: '' })).state, 'closed')
  const opened = await edit({ state: 'open' })
  assert.deepEqual([opened.state, opened.closed_at], ['open', null])
})

test(`${LIST} shows the milestones of a repository in pages, under filters`, async () => {
  const repo = await make.repository(owner)
  assert.deepEqual((await ask(LIST, repo)).body, [])
  await milestone(repo, 'b', { due_on: '2026-02-01T00:00:00Z' })
  await milestone(repo, 'a', { due_on: '2026-02-01T00:00:00Z' })
  await milestone(repo, 'Sooner', { due_on: '2026-01-01T00:00:00Z' })
  await milestone(repo, 'ünder way')
  await milestone(repo, '100%', { state: 'closed' })
  await milestone(await make.repository(owner), 'elsewhere')
  const list = async (query: Record<string, string | number> = {}) => call(LIST, { params: at(repo), query })
  const { body, headers } = await list({ limit: 3 })
  assert.deepEqual([titlesOf(body), headers.get('x-total-count')], [['ünder way', 'Sooner', 'a'], '4'])
  assert.deepEqual(titlesOf((await list({ limit: 3, page: 2 })).body), ['b'])
  for (const [query, titles] of [
    [{ state: 'closed' }, ['100%']],
    [{ state: 'all' }, ['100%', 'ünder way', 'Sooner', 'a', 'b']],
    [{ state: '' }, ['ünder way', 'Sooner', 'a', 'b']],
    [{ name: 'OON' }, ['Sooner']],
    [{ name: 'ÜNDER' }, ['ünder way']],
    [{ name: '0%', state: 'all' }, ['100%']],
    [{ name: '_', state: 'all' }, []],
    [{ name: "'\0" }, []],
  ] as const)
    assert.deepEqual(titlesOf((await list(query)).body), titles, JSON.stringify(query))
})

for (const literal of [SHOW, EDIT, REMOVE]) {
  test(`${literal} knows milestones of the repository only`, async () => {
    const [repo, other] = [await make.repository(owner), await make.repository(owner)]
    const foreign = await milestone(other, 'foreign')
    const body = literal === EDIT ? { body: { title: 'x' } } : {}
    for (const id of [foreign, 'foreign', 0, -1, '\0', '99999999999999999999'])
      holdRefusal(await ask(literal, repo, { id, ...body }), 404, 'not found')
    assert.equal((await ask(SHOW, other, { id: foreign })).body.title, 'foreign')
  })
}

test(`${REMOVE} removes the milestone from its issues, which otherwise stay unchanged`, async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'v1')
  const issue = (await ask(OPEN, repo, { body: { title: 'It leaks', milestone: id } })).body
  assert.equal(issue.milestone.id, id)
  clock.tick(1000)
  assert.equal((await ask(REMOVE, repo, { id: 'v1' })).status, 204)
  const after = await ask('GET /api/v1/repos/{owner}/{repo}/issues/{index}', repo, { index: 1 })
  assert.deepEqual(after.body, { ...issue, milestone: null })
  assert.equal((await ask(REMOVE, repo, { id })).status, 404)
  const [entry] = await pool`
    select target_name, details from forge.audit where action = 'milestone.deleted' and target_id = ${id}`
  assert.deepEqual({ ...entry }, { target_name: `Owner/${repo.name}`, details: { title: 'v1' } })
})

test('a repository with milestones and issues can be deleted', async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'v1')
  await ask(OPEN, repo, { body: { title: 'open', milestone: id } })
  await ask(OPEN, repo, { body: { title: 'closed', milestone: id, closed: true } })
  assert.equal((await ask('DELETE /api/v1/repos/{owner}/{repo}', repo)).status, 204)
  assert.equal((await rowsOf(repo)).length, 0)
})

for (const literal of [CREATE, EDIT, REMOVE]) {
  test(`${literal} is for those who may write to the issues`, async () => {
    const [repo, secret] = [await make.repository(owner), await make.repository(owner, { is_private: true })]
    const id = await milestone(repo, 'v1')
    const body = literal === REMOVE ? {} : { body: { title: 'y' } }
    assert.equal((await call(literal, { params: at(repo, { id }), ...body })).status, 401)
    const sentence = 'user should have permission to write to the issues of the repository'
    holdRefusal(await ask(literal, repo, { id, as: ada, ...body }), 403, sentence)
    holdRefusal(await ask(literal, secret, { id, as: ada, ...body }), 404, 'not found')
    const token = bearer(await make.token(owner, 'read:issue', 'write:repository'))
    const poor = await ask(literal, repo, { id, as: token as Somebody, ...body })
    assert.match(poor.body.message, /required=\[write:issue\]/)
    const params = at(repo)
    await call('PATCH /api/v1/repos/{owner}/{repo}', { as: owner, params, body: { archived: true } })
    assert.equal((await ask(literal, repo, { id, ...body })).status, 423)
    assert.equal((await ask(SHOW, repo, { id })).body.title, 'v1')
  })
}

for (const literal of [LIST, SHOW]) {
  test(`${literal} is for those who may read the issues`, async () => {
    const [repo, secret] = [await make.repository(owner), await make.repository(owner, { is_private: true })]
    const id = await milestone(repo, 'v1')
    assert.equal((await call(literal, { params: at(repo, { id }) })).status, 200)
    holdRefusal(await ask(literal, secret, { id, as: ada }), 404, 'not found')
    const poor = await call(literal, {
      params: at(repo, { id }),
      as: bearer(await make.token(owner, 'read:user')),
    })
    assert.match(poor.body.message, /required=\[read:issue\]/)
  })
}

test(`concurrent ${EDIT} and ${REMOVE} cause no error`, async () => {
  const repo = await make.repository(owner)
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => milestone(repo, `m${n}`)))
  const answers = await Promise.all(
    ids.flatMap((id) => [
      ask(EDIT, repo, { id, body: { title: 'x' } }),
      ask(REMOVE, repo, { id }),
      ask(REMOVE, repo, { id }),
    ]),
  )
  const removals = answers.filter(({ status }) => status === 204)
  assert.equal(removals.length, ids.length)
  for (const { status } of answers) assert.ok([200, 204, 404].includes(status), `${status}`)
  assert.equal((await rowsOf(repo)).length, 0)
})

test(`${CHANGE} by concurrent requests keeps the counts correct`, async () => {
  const repo = await make.repository(owner)
  const [first, second] = [await milestone(repo, 'first'), await milestone(repo, 'second')]
  const numbers: number[] = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const body = { title: 'x', milestone: n % 2 === 0 ? first : second }
      return (await ask(OPEN, repo, { body })).body.number
    }),
  )
  const edits = numbers.flatMap((index, n) => [
    ask(CHANGE, repo, { index, body: { state: 'closed' } }),
    ask(CHANGE, repo, { index, body: { milestone: n % 2 === 0 ? second : first } }),
    ask(CHANGE, repo, { index, body: n % 3 === 0 ? { milestone: 0 } : { title: 'y' } }),
  ])
  const removal = ask('DELETE /api/v1/repos/{owner}/{repo}/issues/{index}', repo, { index: numbers[0] ?? 0 })
  const answers = await Promise.all([...edits, removal])
  for (const { status } of answers) assert.ok([201, 204, 404].includes(status), `${status}`)
  await holdCounts(repo)
})

test(`concurrent ${OPEN} with a milestone and ${REMOVE} of it leave no issue with it`, async () => {
  const repo = await make.repository(owner)
  const id = await milestone(repo, 'v1')
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => ask(OPEN, repo, { body: { title: 'x', milestone: id } })),
    ask(REMOVE, repo, { id }),
  ])
  for (const { status } of answers) assert.ok([201, 204, 422].includes(status), `${status}`)
  const left = await pool`
    select number from forge.issue where repository_id = ${repo.id} and milestone_id is not null`
  assert.equal(left.length, 0)
})

/** The counts of each milestone are those of its issues. */
async function holdCounts(repo: Repo): Promise<void> {
  const rows = await pool<{ open: number; closed: number; open_issues: number; closed_issues: number }[]>`
    select open_issues, closed_issues,
      (select count(*) from forge.issue where milestone_id = milestone.id and closed_at is null) as open,
      (select count(*) from forge.issue where milestone_id = milestone.id and closed_at is not null) as closed
    from forge.milestone
    where repository_id = ${repo.id}`
  assert.ok(rows.length > 0)
  for (const { open, closed, open_issues, closed_issues } of rows)
    assert.deepEqual([open_issues, closed_issues], [open, closed])
}
