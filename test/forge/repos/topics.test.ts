import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, eve] = await make.people('Owner', 'eve')

const SHOW = 'GET /api/v1/repos/{owner}/{repo}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}'
const LIST = 'GET /api/v1/repos/{owner}/{repo}/topics'
const REPLACE = 'PUT /api/v1/repos/{owner}/{repo}/topics'
const ADD = 'PUT /api/v1/repos/{owner}/{repo}/topics/{topic}'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/topics/{topic}'
const SEARCH = 'GET /api/v1/topics/search'
const REPOS = 'GET /api/v1/repos/search'

type Repo = { id: number; name: string }
interface More {
  as?: { authorization: string }
  topic?: string
  body?: unknown
  query?: Record<string, string | number>
  of?: string
}
const ask = (literal: string, repo: Repo, { as = owner, topic = '', of = 'owner', ...more }: More = {}) =>
  call(literal, { as, params: { owner: of, repo: repo.name, topic }, ...more })

const topicsOf = async (repo: Repo, of = 'owner'): Promise<string[]> =>
  (await ask(LIST, repo, { as: boss, of })).body.topics

async function withTopics(topics: readonly string[], draft: { is_private?: boolean } = {}): Promise<Repo> {
  const repo = await make.repository(owner, draft)
  assert.equal((await ask(REPLACE, repo, { body: { topics } })).status, 204)
  return repo
}

/** What the search for topics shows to everybody: names with their counts. */
async function counts(q: string): Promise<Record<string, number>> {
  const { body } = await call(SEARCH, { query: { q } })
  const rows: { topic_name: string; repo_count: number }[] = body.topics
  return Object.fromEntries(rows.map(({ topic_name, repo_count }) => [topic_name, repo_count]))
}

/** A prefix that no other test uses, so that searches find the topics of one test. */
let drawn = 0
const prefix = () => `t${++drawn}x`

/** The words of a refusal, whose body is that of the original: without a link. */
const problemFromDatabaseError = ({ status, body }: { status: number; body: unknown }) => [status, body]

test(`${LIST} shows the topics by name, in pages, as the repository itself does`, async () => {
  const repo = await make.repository(owner)
  const none = await call(LIST, { params: { owner: 'owner', repo: repo.name } })
  assert.deepEqual([none.body, none.headers.get('x-total-count')], [{ topics: [] }, '0'])
  await ask(REPLACE, repo, { body: { topics: ['zig', 'ada', 'c-99', 'c.99'] } })
  const all = ['ada', 'c-99', 'c.99', 'zig']
  const { body, headers } = await call(LIST, { params: { owner: 'owner', repo: repo.name } })
  assert.deepEqual([body, headers.get('x-total-count'), headers.get('link')], [{ topics: all }, '4', null])
  const second = await ask(LIST, repo, { query: { page: 2, limit: 3 } })
  assert.deepEqual([second.body, second.headers.get('x-total-count')], [{ topics: ['zig'] }, '4'])
  assert.deepEqual((await ask(LIST, repo, { query: { page: 9 } })).body, { topics: [] })
  assert.deepEqual((await ask(SHOW, repo)).body.topics, all)
  const { body: found } = await call(REPOS, { query: { q: repo.name } })
  assert.deepEqual(found.data[0].topics, all)
})

test(`${REPLACE} accepts names in any case, with blanks and twice; an empty list removes all`, async () => {
  const repo = await withTopics([' Node ', 'node', 'NODE', '', '  ', '9p', 'a'.repeat(35)])
  assert.deepEqual(await topicsOf(repo), ['9p', 'a'.repeat(35), 'node'])
  const before = (await ask(SHOW, repo)).body.updated_at
  clock.tick(5000)
  await ask(REPLACE, repo, { body: { topics: ['node', '9p', 'a'.repeat(35)] } })
  assert.equal((await ask(SHOW, repo)).body.updated_at, before, 'nothing has changed')
  await ask(REPLACE, repo, { body: { topics: ['rust'] } })
  assert.deepEqual(await topicsOf(repo), ['rust'])
  assert.notEqual((await ask(SHOW, repo)).body.updated_at, before)
  await ask(REPLACE, repo, { body: {} })
  assert.deepEqual(await topicsOf(repo), [])
})

test(`${REPLACE} refuses invalid names and more than 25, and changes nothing`, async () => {
  const repo = await withTopics(['kept'])
  const many = Array.from({ length: 26 }, (_, at) => `topic-${at}`)
  const wrong = ['-x', '.x', 'two words', 'ümlaut', 'a/b', 'x_y', 'a'.repeat(36), 'a'.repeat(100_000), '😀']
  assert.deepEqual(
    problemFromDatabaseError(await ask(REPLACE, repo, { body: { topics: ['good', ...wrong] } })),
    [422, { invalidTopics: wrong, message: 'Topic names are invalid' }],
  )
  const tooMany = [422, { invalidTopics: null, message: 'Exceeding maximum number of topics per repo' }]
  assert.deepEqual(problemFromDatabaseError(await ask(REPLACE, repo, { body: { topics: many } })), tooMany)
  assert.deepEqual(
    problemFromDatabaseError(await ask(REPLACE, repo, { body: { topics: [...many, '-x'] } })),
    tooMany,
  )
  for (const body of [{ topics: 'node' }, { topics: [1] }, { topics: { a: 1 } }, [], '{"topics":["a"', 'x']) {
    const { status } = await ask(REPLACE, repo, { body })
    assert.ok(status === 422 || status === 400, `${JSON.stringify(body)} is refused with ${status}`)
  }
  assert.deepEqual(await topicsOf(repo), ['kept'])
  assert.equal((await ask(REPLACE, repo, { body: { topics: many.slice(1) } })).status, 204)
})

test(`${ADD} adds one topic and may be repeated; ${REMOVE} removes it once`, async () => {
  const repo = await make.repository(owner)
  for (const topic of ['Rust', 'rust', 'ada']) assert.equal((await ask(ADD, repo, { topic })).status, 204)
  assert.deepEqual(await topicsOf(repo), ['ada', 'rust'])
  assert.equal((await ask(REMOVE, repo, { topic: 'RUST' })).status, 204)
  holdRefusal(await ask(REMOVE, repo, { topic: 'rust' }), 404, 'not found')
  for (const literal of [ADD, REMOVE])
    for (const topic of ['-x', 'two words', 'a'.repeat(36), '\u0000', 'ünder'])
      assert.deepEqual(problemFromDatabaseError(await ask(literal, repo, { topic })), [
        422,
        { invalidTopics: topic, message: 'Topic name is invalid' },
      ])
  assert.deepEqual(await topicsOf(repo), ['ada'])
})

test(`${ADD} by concurrent requests adds each topic, and never more than 25`, async () => {
  const repo = await make.repository(owner)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => ask(ADD, repo, { topic: `many-${at}` })),
  )
  assert.equal(answers.filter(({ status }) => status === 204).length, 25)
  const refused = answers.find(({ status }) => status !== 204)
  assert.deepEqual(refused && problemFromDatabaseError(refused), [
    422,
    { message: 'Exceeding maximum allowed topics per repo.' },
  ])
  assert.equal((await topicsOf(repo)).length, 25)
})

test(`${REPLACE}, ${ADD} and ${REMOVE} are for administrators of the repository`, async () => {
  const repo = await withTopics(['kept'])
  const writer = await make.person()
  const admin = await make.person()
  for (const [{ name }, permission] of [
    [writer, 'write'],
    [admin, 'admin'],
  ] as const)
    await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: owner,
      params: { owner: 'owner', repo: repo.name, collaborator: name },
      body: { permission },
    })
  const hidden = await withTopics(['kept'], { is_private: true })
  const words = 'user should be an owner or a collaborator with admin write of a repository'
  const changes = [
    [REPLACE, { body: { topics: ['new'] } }],
    [ADD, { topic: 'new' }],
    [REMOVE, { topic: 'kept' }],
  ] as const
  for (const [literal, more] of changes) {
    holdRefusal(await ask(literal, repo, { ...more, as: eve }), 403, words)
    holdRefusal(await ask(literal, repo, { ...more, as: writer }), 403, words)
    holdRefusal(await ask(literal, hidden, { ...more, as: eve }), 404, 'not found')
    const anonymous = { params: { owner: 'owner', repo: repo.name, topic: 'new' } }
    assert.equal((await call(literal, { ...anonymous, ...more })).status, 401)
    const reading = bearer(await make.token(owner, 'read:repository'))
    assert.equal((await ask(literal, repo, { ...more, as: reading })).status, 403)
  }
  assert.deepEqual([await topicsOf(repo), await topicsOf(hidden)], [['kept'], ['kept']])
  holdRefusal(await ask(LIST, hidden, { as: eve }), 404, 'not found')
  assert.equal((await ask(ADD, repo, { topic: 'new', as: admin })).status, 204)
  assert.equal((await ask(ADD, repo, { topic: 'boss', as: boss })).status, 204)
  holdRefusal(await ask(LIST, { id: 0, name: 'nothing' }), 404, 'not found')
})

test(`${SEARCH} finds topics by a part of their names, the most used first, in pages`, async () => {
  const p = prefix()
  const made = `${clock.now().toISOString().slice(0, 19)}Z`
  await withTopics([`${p}-b`, `${p}-a`])
  clock.tick(5000)
  await withTopics([`${p}-b`])
  const changed = `${clock.now().toISOString().slice(0, 19)}Z`
  const { body, headers } = await call(SEARCH, { query: { q: p.toUpperCase() } })
  const [b, a] = body.topics
  assert.deepEqual(body.topics, [
    { id: b.id, topic_name: `${p}-b`, repo_count: 2, created: made, updated: changed },
    { id: a.id, topic_name: `${p}-a`, repo_count: 1, created: made, updated: made },
  ])
  assert.deepEqual([headers.get('x-total-count'), headers.get('link')], ['2', null])
  const second = await call(SEARCH, { query: { q: p, page: 2, limit: 1 } })
  assert.deepEqual([second.body.topics, second.headers.get('x-total-count')], [[a], '2'])
  assert.deepEqual((await call(SEARCH, { query: { q: `${p}-zz` } })).body, { topics: [] })
  assert.deepEqual((await call(SEARCH, { query: { q: '\u0000' } })).body, { topics: [] })
  assert.ok((await call(SEARCH)).body.topics.length >= 2)
})

test(`${SEARCH} counts public repositories, through all changes of a repository`, async () => {
  const p = prefix()
  const names = [`${p}-a`, `${p}-b`]
  const repo = await withTopics(names)
  const hidden = await withTopics([`${p}-a`, `${p}-secret`], { is_private: true })
  const open = { [`${p}-a`]: 1, [`${p}-b`]: 1 }
  assert.deepEqual(await counts(p), open)
  assert.deepEqual((await call(SEARCH, { as: owner, query: { q: `${p}-secret` } })).body.topics, [])
  await ask(EDIT, hidden, { body: { private: false } })
  assert.deepEqual(await counts(p), { [`${p}-a`]: 2, [`${p}-b`]: 1, [`${p}-secret`]: 1 })
  await ask(EDIT, hidden, { body: { private: true } })
  assert.deepEqual(await counts(p), open)
  await ask(REMOVE, repo, { topic: `${p}-b` })
  assert.deepEqual(await counts(p), { [`${p}-a`]: 1 })
  await call('PATCH /api/v1/admin/users/{username}', {
    as: boss,
    params: { username: 'owner' },
    body: { visibility: 'limited' },
  })
  assert.deepEqual(await counts(p), {})
  await call('PATCH /api/v1/admin/users/{username}', {
    as: boss,
    params: { username: 'owner' },
    body: { visibility: 'public' },
  })
  assert.deepEqual(await counts(p), { [`${p}-a`]: 1 })
  await ask('DELETE /api/v1/repos/{owner}/{repo}', repo)
  await ask('DELETE /api/v1/repos/{owner}/{repo}', hidden)
  assert.deepEqual(await counts(p), {})
  const [left] = await pool`select count(*) as rows from forge.topic where name like ${`${p}%`}`
  assert.equal(left?.rows, 0)
})

test(`${SEARCH} counts correctly when concurrent requests change the same topics`, async () => {
  const p = prefix()
  const names = Array.from({ length: 6 }, (_, at) => `${p}-${at}`)
  const repos = await Promise.all(Array.from({ length: 8 }, () => make.repository(owner)))
  const change = (repo: Repo, at: number, round: number) =>
    ask(REPLACE, repo, { body: { topics: names.filter((_, of) => (at + of + round) % 3 > 0).reverse() } })
  for (const round of [0, 1, 2]) {
    const answers = await Promise.all(repos.map((repo, at) => change(repo, at, round)))
    assert.ok(answers.every(({ status }) => status === 204))
  }
  const held = await Promise.all(repos.map((repo) => topicsOf(repo)))
  const expected = names.map((name) => [name, held.filter((topics) => topics.includes(name)).length])
  assert.deepEqual(await counts(p), Object.fromEntries(expected))
})

test(`${REPOS} with topic=true finds repositories that have one of the topics`, async () => {
  const p = prefix()
  const a = await withTopics([`${p}-a`])
  const b = await withTopics([`${p}-b`])
  const hidden = await withTopics([`${p}-a`], { is_private: true })
  const namesFor = async (q: string, as?: Somebody, more = {}): Promise<string[]> => {
    const { body, headers } = await call(REPOS, { query: { q, topic: 'true', ...more }, ...(as && { as }) })
    const found: { name: string }[] = body.data
    assert.equal(headers.get('x-total-count'), String(found.length))
    return found.map(({ name }) => name).sort()
  }
  assert.deepEqual(await namesFor(`${p}-a`), [a.name])
  assert.deepEqual(await namesFor(`${p}-A`.toUpperCase(), eve), [a.name])
  assert.deepEqual(await namesFor(`${p}-a`, owner), [a.name, hidden.name].sort())
  assert.deepEqual(await namesFor(`${p}-a`, owner, { is_private: 'true' }), [hidden.name])
  assert.deepEqual(await namesFor(`${p}-a,${p}-b`, eve), [a.name, b.name].sort())
  for (const q of [p, a.name, ',', '%', '\u0000', `${p}-a `.repeat(2)])
    assert.deepEqual(await namesFor(q), [])
  const { body } = await call(REPOS, { query: { q: a.name, topic: 'false' } })
  assert.equal(body.data.length, 1)
})

test(`${LIST}: topics stay with a repository that is renamed or moves`, async () => {
  const repo = await withTopics(['stays'])
  await ask(EDIT, repo, { body: { name: `${repo.name}-new` } })
  assert.deepEqual(await topicsOf({ ...repo, name: `${repo.name}-new` }), ['stays'])
  const moved = await ask(
    'POST /api/v1/repos/{owner}/{repo}/transfer',
    { ...repo, name: `${repo.name}-new` },
    {
      as: boss,
      body: { new_owner: 'eve' },
    },
  )
  assert.deepEqual([moved.status, moved.body.topics], [202, ['stays']])
  assert.deepEqual(await topicsOf({ ...repo, name: `${repo.name}-new` }, 'eve'), ['stays'])
})
