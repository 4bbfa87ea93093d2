import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import type { Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const [owner, ada] = await make.people('Owner', 'ada')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/labels'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/labels'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/labels/{id}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/labels/{id}'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/labels/{id}'
const OF_ISSUE = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/labels'
const ADD = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/labels'
const REPLACE = 'PUT /api/v1/repos/{owner}/{repo}/issues/{index}/labels'
const CLEAR = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/labels'
const TAKE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/labels/{id}'

const ask = (
  literal: string,
  repo: Repo,
  more: { id?: number | string; body?: unknown; as?: Somebody } = {},
) =>
  call(literal, {
    as: more.as ?? owner,
    params: { owner: 'owner', repo: repo.name, index: 1, id: more.id ?? 0 },
    ...(more.body !== undefined && { body: more.body }),
  })

/** A repository with one issue, which its author opened. */
async function tracker(draft: { is_private?: boolean } = {}): Promise<Repo> {
  const repo = await make.repository(owner, draft)
  await ask('POST /api/v1/repos/{owner}/{repo}/issues', repo, { body: { title: 'It leaks' } })
  return repo
}

async function label(repo: Repo, name: string, exclusive = false): Promise<number> {
  return (await ask(CREATE, repo, { body: { name, color: '#abc', exclusive } })).body.id
}

const namesOf = (body: { name: string }[]) => body.map(({ name }) => name)
const namesOn = async (repo: Repo) => namesOf((await ask(OF_ISSUE, repo)).body)

test(`${CREATE} answers 201 with the label`, async () => {
  const repo = await tracker()
  const wish = {
    name: 'kind/bug',
    color: '#FF00aa',
    description: 'broken',
    exclusive: true,
    exclusive_order: 2,
  }
  const { status, body } = await ask(CREATE, repo, { body: wish })
  assert.equal(status, 201)
  assert.deepEqual(body, {
    id: body.id,
    name: 'kind/bug',
    exclusive: true,
    exclusive_order: 2,
    is_archived: false,
    color: 'ff00aa',
    description: 'broken',
    url: `https://forgehall.example/api/v1/repos/Owner/${repo.name}/labels/${body.id}`,
  })
  for (const id of [body.id, 'kind/bug']) assert.deepEqual((await ask(SHOW, repo, { id })).body, body)
  const short = await ask(CREATE, repo, { body: { name: 'x', color: 'a1F' } })
  assert.equal(short.body.color, 'aa11ff')
})

test(`${CREATE} and ${EDIT} refuse invalid labels`, async () => {
  const repo = await tracker()
  const id = await label(repo, 'kept')
  for (const [body, message] of [
    [{ color: 'fff' }, '[Name]: Required'],
    [{ name: ' \t\u00a0', color: 'fff' }, '[Name]: Required'],
    [{ name: 'x' }, '[Color]: Required'],
    [{ name: 'x', color: 'red' }, 'bad color code: red'],
    [{ name: 'x', color: '#ggg' }, 'bad color code: #ggg'],
    [{ name: 'x', color: '#12345' }, 'bad color code: #12345'],
    [{ name: 'x'.repeat(256), color: 'fff' }, '[Name]: MaxSize'],
    [{ name: 'x', color: 'fff', description: 'x'.repeat(1025) }, '[Description]: MaxSize'],
  ] as const)
    holdRefusal(await ask(CREATE, repo, { body }), 422, message)
  for (const body of [
    { name: 7, color: 'fff' },
    { name: 'x', color: ['fff'] },
    [],
    '',
    { name: '\0', color: 'fff' },
  ])
    assert.equal((await ask(CREATE, repo, { body })).status, 422)
  for (const name of ['', '  '])
    holdRefusal(await ask(EDIT, repo, { id, body: { name } }), 422, '[Name]: Required')
  holdRefusal(await ask(EDIT, repo, { id, body: { color: '' } }), 422, 'bad color code: ')
  for (const exclusive_order of [2 ** 31, -(2 ** 31), 2 ** 40]) {
    const answer = await ask(EDIT, repo, { id, body: { exclusive_order } })
    holdRefusal(answer, 422, '[ExclusiveOrder]: Range(-2147483647,2147483647)')
  }
  assert.equal((await ask(EDIT, repo, { id, body: { exclusive_order: -(2 ** 31) + 1 } })).status, 200)
  assert.deepEqual(namesOf((await ask(LIST, repo)).body), ['kept'])
})

test(`${EDIT} changes the members of the request, ${REMOVE} also removes the label from issues`, async () => {
  const repo = await tracker()
  const id = await label(repo, 'bug')
  await ask(ADD, repo, { body: { labels: [id] } })
  const edited = (await ask(EDIT, repo, { id, body: { name: 'defect', is_archived: true } })).body
  assert.deepEqual([edited.name, edited.color, edited.is_archived], ['defect', 'aabbcc', true])
  assert.deepEqual(await namesOn(repo), ['defect'])
  assert.equal(
    (await ask(EDIT, repo, { id, body: { description: null, color: '000' } })).body.color,
    '000000',
  )
  assert.equal((await ask(REMOVE, repo, { id })).status, 204)
  assert.deepEqual(await namesOn(repo), [])
})

test(`${REMOVE} answers 204 for an id of no label of the repository, and deletes nothing`, async () => {
  const [repo, other] = [await tracker(), await tracker()]
  const [id, foreign] = [await label(repo, 'kept'), await label(other, 'kept too')]
  for (const unknown of [foreign, 0, -1, 'x', '1e3', '99999999999999999999', 987_654_321])
    assert.equal((await ask(REMOVE, repo, { id: unknown })).status, 204, String(unknown))
  assert.equal((await ask(SHOW, repo, { id })).status, 200)
  assert.equal((await ask(SHOW, other, { id: foreign })).status, 200)
})

test(`${LIST} shows the labels of a repository in pages, sorted by name or by the query`, async () => {
  const repo = await tracker()
  const [c, a, , big] = [
    await label(repo, 'c'),
    await label(repo, 'a'),
    await label(repo, 'b'),
    await label(repo, 'B'),
  ]
  await ask('POST /api/v1/repos/{owner}/{repo}/issues', repo, { body: { title: 'x', labels: [c, big] } })
  await ask(ADD, repo, { body: { labels: [c, a] } })
  const list = (query: Record<string, string | number>) =>
    call(LIST, { params: { owner: 'owner', repo: repo.name }, query })
  const { body, headers } = await list({ limit: 2 })
  assert.deepEqual([namesOf(body), headers.get('x-total-count')], [['B', 'a'], '4'])
  assert.deepEqual(namesOf((await list({ limit: 2, page: 2 })).body), ['b', 'c'])
  for (const [sort, names] of [
    ['alphabetically', 'B a b c'],
    ['reversealphabetically', 'c b a B'],
    ['leastissues', 'b B a c'],
    ['mostissues', 'c B a b'],
    ['', 'B a b c'],
    ['MostIssues', 'c B a b'],
  ] as const)
    assert.equal(namesOf((await list({ sort })).body).join(' '), names, sort)
  for (const sort of ['name; drop table', '\0']) assert.equal((await list({ sort })).status, 422)
  assert.deepEqual(namesOf((await list({ sort: 'mostissues', limit: 1, page: 2 })).body), ['B'])
  assert.deepEqual((await ask(LIST, await tracker())).body, [])
})

for (const literal of [SHOW, EDIT]) {
  test(`${literal} knows labels of the repository only`, async () => {
    const [repo, other] = [await tracker(), await tracker()]
    const foreign = await label(other, 'foreign')
    const body = literal === EDIT ? { body: { name: 'x' } } : {}
    for (const id of [foreign, 0, 'x', '99999999999999999999'])
      holdRefusal(await ask(literal, repo, { id, ...body }), 404, 'not found')
    assert.equal((await ask(SHOW, other, { id: foreign })).status, 200)
  })
}

test(`${ADD}, ${REPLACE}, ${TAKE} and ${CLEAR} change the labels of an issue`, async () => {
  const repo = await tracker()
  const [bug, big, urgent] = [await label(repo, 'bug'), await label(repo, 'big'), await label(repo, 'urgent')]
  const added = await ask(ADD, repo, { body: { labels: [bug, 'big', bug] } })
  assert.deepEqual([added.status, namesOf(added.body)], [200, ['big', 'bug']])
  assert.deepEqual(namesOf((await ask(ADD, repo, { body: { labels: [] } })).body), ['big', 'bug'])
  const replaced = await ask(REPLACE, repo, { body: { labels: ['urgent', big] } })
  assert.deepEqual([replaced.status, namesOf(replaced.body)], [200, ['big', 'urgent']])
  assert.equal((await ask(TAKE, repo, { id: urgent })).status, 204)
  assert.equal((await ask(TAKE, repo, { id: urgent })).status, 404)
  assert.equal((await ask(TAKE, repo, { id: 'x' })).status, 404)
  assert.deepEqual(await namesOn(repo), ['big'])
  assert.equal((await ask(CLEAR, repo)).status, 204)
  assert.equal((await ask(CLEAR, repo)).status, 204)
  assert.deepEqual(await namesOn(repo), [])
  assert.deepEqual(namesOf((await ask(REPLACE, repo, { body: {} })).body), [])
})

test('An issue has a hundred labels at most, however often a request names them', async () => {
  const repo = await tracker()
  const ids: number[] = []
  for (let n = 0; n < 101; n++) ids.push(await label(repo, `n${n}`))
  const [first, ...others] = ids
  const sentence = 'an issue has at most 100 labels'
  for (const literal of [ADD, REPLACE])
    holdRefusal(await ask(literal, repo, { body: { labels: ids } }), 422, sentence)
  const often = Array.from({ length: 50 }, () => others).flat()
  assert.equal((await ask(REPLACE, repo, { body: { labels: often } })).body.length, 100)
  holdRefusal(await ask(ADD, repo, { body: { labels: [first] } }), 422, sentence)
})

test(`${ADD} sets the last of several exclusive labels, also if it was named before`, async () => {
  const repo = await tracker()
  const [low, high] = [await label(repo, 'priority/low', true), await label(repo, 'priority/high', true)]
  assert.equal((await ask(ADD, repo, { body: { labels: [low, high, low] } })).status, 200)
  assert.deepEqual(await namesOn(repo), ['priority/low'])
})

test(`${ADD} replaces the labels of a scope by an exclusive label`, async () => {
  const repo = await tracker()
  const low = await label(repo, 'priority/low', true)
  const high = await label(repo, 'priority/high', true)
  const kind = await label(repo, 'kind/bug', true)
  const loose = await label(repo, 'priority/maybe')
  await ask(ADD, repo, { body: { labels: [low, kind, loose] } })
  await ask(ADD, repo, { body: { labels: [high] } })
  assert.deepEqual(await namesOn(repo), ['kind/bug', 'priority/high', 'priority/maybe'])
  await ask(REPLACE, repo, { body: { labels: [high, low] } })
  assert.deepEqual(await namesOn(repo), ['priority/low'])
})

test(`${ADD} and ${REPLACE} refuse unknown labels and change nothing`, async () => {
  const [repo, other] = [await tracker(), await tracker()]
  const bug = await label(repo, 'bug')
  const foreign = await label(other, 'foreign')
  await ask(ADD, repo, { body: { labels: [bug] } })
  for (const literal of [ADD, REPLACE]) {
    for (const [labels, message] of [
      [[foreign], `label does not exist [id: ${foreign}]`],
      [[bug, 0], 'label does not exist [id: 0]'],
      [['foreign'], 'label does not exist [name: foreign]'],
      [["'"], "label does not exist [name: ']"],
    ] as const)
      holdRefusal(await ask(literal, repo, { body: { labels } }), 422, message)
    for (const body of [{ labels: 'bug' }, { labels: [1.5] }, { labels: [null] }, { labels: {} }, [], ''])
      assert.equal((await ask(literal, repo, { body })).status, 422, JSON.stringify(body))
  }
  assert.deepEqual(await namesOn(repo), ['bug'])
})

test(`${ADD} by concurrent requests loses none, and with concurrent ${REMOVE} causes no error`, async () => {
  const repo = await tracker()
  const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => label(repo, `l${n + 10}`)))
  const added = await Promise.all(ids.map((id) => ask(ADD, repo, { body: { labels: [id] } })))
  assert.ok(added.every(({ status }) => status === 200))
  assert.equal((await namesOn(repo)).length, 12)
  await ask(CLEAR, repo)
  const mixed = await Promise.all(
    ids.flatMap((id) => [ask(ADD, repo, { body: { labels: [id] } }), ask(REMOVE, repo, { id })]),
  )
  for (const { status } of mixed) assert.ok([200, 204, 404, 422].includes(status), `${status}`)
  assert.deepEqual(await namesOn(repo), [])
})

for (const literal of [CREATE, EDIT, REMOVE, ADD, REPLACE, CLEAR, TAKE]) {
  test(`${literal} is for those who may write to the issues`, async () => {
    const [repo, secret] = [await tracker(), await tracker({ is_private: true })]
    const id = await label(repo, 'bug')
    await ask(ADD, repo, { body: { labels: [id] } })
    const wish = { name: 'y', color: 'fff', labels: [id] }
    const body = literal.startsWith('DELETE') ? {} : { body: wish }
    const params = { owner: 'owner', repo: repo.name, index: 1, id }
    assert.equal((await call(literal, { params, ...body })).status, 401)
    const sentence = 'user should have permission to write to the issues of the repository'
    holdRefusal(await ask(literal, repo, { id, as: ada, ...body }), 403, sentence)
    holdRefusal(await ask(literal, secret, { id, as: ada, ...body }), 404, 'not found')
    const poor = await call(literal, {
      params,
      as: bearer(await make.token(owner, 'read:issue', 'write:repository')),
      ...body,
    })
    assert.match(poor.body.message, /required=\[write:issue\]/)
    await call('PATCH /api/v1/repos/{owner}/{repo}', { as: owner, params, body: { archived: true } })
    assert.equal((await ask(literal, repo, { id, ...body })).status, 423)
  })
}

for (const literal of [LIST, SHOW, OF_ISSUE]) {
  test(`${literal} is for those who may read the issues`, async () => {
    const [repo, secret] = [await tracker(), await tracker({ is_private: true })]
    const id = await label(repo, 'bug')
    const params = { owner: 'owner', repo: repo.name, index: 1, id }
    assert.equal((await call(literal, { params })).status, 200)
    holdRefusal(await ask(literal, secret, { id, as: ada }), 404, 'not found')
    const poor = await call(literal, { params, as: bearer(await make.token(owner, 'read:user')) })
    assert.match(poor.body.message, /required=\[read:issue\]/)
  })
}

test(`${ADD} and ${CLEAR} send webhook events with the resulting labels of the issue`, async () => {
  const repo = await tracker()
  const id = await label(repo, 'bug')
  await pool`delete from forge.event`
  await ask(ADD, repo, { body: { labels: [id] } })
  await ask(ADD, repo, { body: { labels: [id] } })
  await ask(CLEAR, repo)
  const messages = await queuedMessages(pool)
  assert.deepEqual(
    messages.map(({ event, payload }) => [event, payload.action, namesOf(payload.issue.labels)]),
    [
      ['issue_label', 'label_updated', ['bug']],
      ['issue_label', 'label_cleared', []],
    ],
  )
})
