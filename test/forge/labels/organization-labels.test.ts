import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const [eve, ada] = await make.people('eve', 'ada')
const guild = await make.organization(eve, { name: 'guild' })
const other = await make.organization(eve, { name: 'other' })
const secret = await make.organization(eve, { name: 'secret', visibility: 'private' })

const LIST = 'GET /api/v1/orgs/{org}/labels'
const CREATE = 'POST /api/v1/orgs/{org}/labels'
const SHOW = 'GET /api/v1/orgs/{org}/labels/{id}'
const EDIT = 'PATCH /api/v1/orgs/{org}/labels/{id}'
const REMOVE = 'DELETE /api/v1/orgs/{org}/labels/{id}'
const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const ADD = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/labels'
const TAKE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/labels/{id}'
const OF_ISSUE = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/labels'

const ask = (
  literal: string,
  more: { org?: string; id?: number | string; body?: unknown; as?: { authorization: string } } = {},
) =>
  call(literal, {
    as: more.as ?? eve,
    params: { org: more.org ?? 'guild', id: more.id ?? 0 },
    ...(more.body !== undefined && { body: more.body }),
  })

async function label(name: string, more: object = {}, org = 'guild'): Promise<number> {
  const { status, body } = await ask(CREATE, { org, body: { name, color: '#abc', ...more } })
  assert.equal(status, 201)
  return body.id
}

/** A repository of an organization with one issue. */
async function tracker(
  name: string,
  org = guild.name,
): Promise<{ owner: string; repo: string; index: number }> {
  const params = { owner: org, repo: name, index: 1 }
  await call('POST /api/v1/orgs/{org}/repos', { as: eve, params: { org }, body: { name } })
  assert.equal((await call(OPEN, { as: eve, params, body: { title: 'It leaks' } })).status, 201)
  return params
}

const namesOf = (body: { name: string }[]) => body.map(({ name }) => name)

test(`${CREATE} answers 201 with the label, ${SHOW} shows it by id and by name`, async () => {
  const wish = {
    name: 'kind/bug',
    color: '#FF00aa',
    description: 'broken',
    exclusive: true,
    exclusive_order: 2,
  }
  const { status, body } = await ask(CREATE, { body: wish })
  assert.equal(status, 201)
  assert.deepEqual(body, {
    id: body.id,
    name: 'kind/bug',
    exclusive: true,
    exclusive_order: 2,
    is_archived: false,
    color: 'ff00aa',
    description: 'broken',
    url: `https://forgehall.example/api/v1/orgs/guild/labels/${body.id}`,
  })
  for (const id of [body.id, 'kind/bug'])
    assert.deepEqual((await ask(SHOW, { id, as: ada })).body, body, String(id))
})

test(`${CREATE} and ${EDIT} refuse invalid labels, and change nothing`, async () => {
  const id = await label('kept')
  for (const [body, message] of [
    [{ color: 'fff' }, '[Name]: Required'],
    [{ name: ' \t\u00a0', color: 'fff' }, '[Name]: Required'],
    [{ name: 'x' }, '[Color]: Required'],
    [{ name: 'x', color: 'red' }, 'bad color code: red'],
    [{ name: 'x'.repeat(256), color: 'fff' }, '[Name]: MaxSize'],
  ] as const)
    holdRefusal(await ask(CREATE, { body }), 422, message)
  for (const body of [{ name: 7, color: 'fff' }, [], '', { name: '\0', color: 'fff' }])
    assert.equal((await ask(CREATE, { body })).status, 422)
  for (const name of ['', '  ']) holdRefusal(await ask(EDIT, { id, body: { name } }), 422, '[Name]: Required')
  holdRefusal(await ask(EDIT, { id, body: { color: '#12345' } }), 422, 'bad color code: #12345')
  const rows = await pool`select id from forge.organization_label where name in ('x', '', 'kept')`
  assert.equal(rows.length, 1)
})

test(`${EDIT} changes the members of the request, ${REMOVE} removes the label from issues, and the audit trail has both`, async () => {
  const params = await tracker('edited')
  const id = await label('fresh', { is_archived: true })
  await call(ADD, { as: eve, params, body: { labels: [id] } })
  const edited = (await ask(EDIT, { id, body: { name: 'stale' } })).body
  assert.deepEqual([edited.name, edited.color, edited.is_archived], ['stale', 'aabbcc', true])
  assert.deepEqual(namesOf((await call(OF_ISSUE, { params })).body), ['stale'])
  for (let twice = 0; twice < 2; twice++) assert.equal((await ask(REMOVE, { id })).status, 204)
  assert.deepEqual((await call(OF_ISSUE, { params })).body, [])
  const actions = await pool<{ action: string }[]>`
    select action from forge.audit
    where target_id = ${guild.id} and details ->> 'name' in ('fresh', 'stale')
    order by id`
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['label.created', 'label.edited', 'label.deleted'],
  )
})

test(`${LIST} shows the labels of an organization in pages, sorted by the query`, async () => {
  const org = 'other'
  const [c, a] = [await label('c', {}, org), await label('a', {}, org)]
  await label('b', {}, org)
  const params = await tracker('sorted', other.name)
  await call(ADD, { as: eve, params, body: { labels: [c, a] } })
  await call(OPEN, { as: eve, params, body: { title: 'more', labels: [c] } })
  const list = (query: Record<string, string | number>) => call(LIST, { params: { org }, query })
  const { body, headers } = await list({ limit: 2 })
  assert.deepEqual([namesOf(body), headers.get('x-total-count')], [['a', 'b'], '3'])
  for (const [sort, names] of [
    ['reversealphabetically', 'c b a'],
    ['leastissues', 'b a c'],
    ['mostissues', 'c a b'],
    ['', 'a b c'],
  ] as const)
    assert.equal(namesOf((await list({ sort })).body).join(' '), names, sort)
})

for (const literal of [SHOW, EDIT, REMOVE]) {
  test(`${literal} knows labels of the organization only`, async () => {
    const foreign = await label(`foreign to ${literal.slice(0, 3)}`, {}, 'other')
    const body = literal === EDIT ? { body: { name: 'x' } } : {}
    for (const id of [foreign, 0, 'x', '-1', '99999999999999999999']) {
      const answer = await ask(literal, { id, ...body })
      if (literal === REMOVE) assert.equal(answer.status, 204)
      else holdRefusal(answer, 404, 'not found')
    }
    assert.equal((await ask(SHOW, { org: 'other', id: foreign })).status, 200)
  })
}

for (const literal of [CREATE, EDIT, REMOVE]) {
  test(`${literal} is for owners of the organization`, async () => {
    const id = await label(`of owners ${literal.slice(0, 3)}`)
    const body = literal === REMOVE ? {} : { body: { name: 'mine', color: 'fff' } }
    assert.equal((await call(literal, { params: { org: 'guild', id }, ...body })).status, 401)
    holdRefusal(await ask(literal, { id, as: ada, ...body }), 403, 'Must be an organization owner')
    const token = bearer(await make.token(eve, 'read:organization', 'write:issue'))
    assert.match(
      (await ask(literal, { id, as: token, ...body })).body.message,
      /required=\[write:organization\]/,
    )
    assert.equal((await ask(SHOW, { id })).body.color, 'aabbcc')
  })
}

test(`${LIST} and ${SHOW} are for callers who see the organization`, async () => {
  const id = await label('hidden', {}, secret.name)
  for (const literal of [LIST, SHOW]) {
    holdRefusal(await ask(literal, { org: 'secret', id, as: ada }), 404, 'not found')
    assert.equal((await ask(literal, { org: 'secret', id })).status, 200)
  }
  assert.equal((await call(LIST, { params: { org: 'guild' } })).status, 200)
  assert.equal((await call(SHOW, { params: { org: 'guild', id } })).status, 401)
  holdRefusal(await ask(LIST, { org: 'ada' }), 404, 'not found')
})

test(`${ADD} adds labels of the organization to issues, by id and by name, beside those of the repository`, async () => {
  const [params, elsewhere] = [await tracker('given'), await tracker('foreign', other.name)]
  const [low, high] = [
    await label('rank/low', { exclusive: true }),
    await label('rank/high', { exclusive: true }),
  ]
  const own = (
    await call('POST /api/v1/repos/{owner}/{repo}/labels', {
      as: eve,
      params,
      body: { name: 'rank/none', color: 'fff', exclusive: true },
    })
  ).body
  const add = async (...labels: (string | number)[]) =>
    namesOf((await call(ADD, { as: eve, params, body: { labels } })).body)
  assert.deepEqual(await add(low), ['rank/low'])
  assert.deepEqual(await add('rank/high'), ['rank/high'], 'one of a scope')
  assert.deepEqual(await add(own.id), ['rank/none'], 'also across both kinds')
  await label('both')
  const both = await add('both', own.id)
  assert.deepEqual(both, ['both', 'rank/none'])
  const [shared, ofRepository] = (await call(OF_ISSUE, { params })).body
  assert.match(shared.url, /\/api\/v1\/orgs\/guild\/labels\/\d+$/)
  assert.match(ofRepository.url, /\/api\/v1\/repos\/guild\/given\/labels\/\d+$/)
  assert.equal((await call(TAKE, { as: eve, params: { ...params, id: shared.id } })).status, 204)
  assert.equal((await call(TAKE, { as: eve, params: { ...params, id: shared.id } })).status, 404)
  assert.deepEqual(namesOf((await call(OF_ISSUE, { params })).body), ['rank/none'])
  const refused = await call(ADD, { as: eve, params: elsewhere, body: { labels: [high] } })
  holdRefusal(refused, 422, `label does not exist [id: ${high}]`)
  const opened = await call(OPEN, { as: eve, params, body: { title: 'new', labels: [high, own.id] } })
  assert.deepEqual(namesOf(opened.body.labels), ['rank/none'])
})

test('Lists and the search of issues filter by labels of both kinds', async () => {
  const params = await tracker('filtered')
  const shared = await label('across')
  const own = (
    await call('POST /api/v1/repos/{owner}/{repo}/labels', {
      as: eve,
      params,
      body: { name: 'inside', color: 'fff' },
    })
  ).body
  await call(ADD, { as: eve, params, body: { labels: [shared, own.id] } })
  await call(OPEN, { as: eve, params, body: { title: 'half', labels: [shared] } })
  const list = async (labels: string) =>
    (await call('GET /api/v1/repos/{owner}/{repo}/issues', { params, query: { labels } })).body.length
  assert.deepEqual([await list('across'), await list('inside'), await list('across,inside')], [2, 1, 1])
  const search = async (labels: string) =>
    (await call('GET /api/v1/repos/issues/search', { as: eve, query: { labels } })).body.length
  assert.deepEqual([await search('across'), await search('inside'), await search('across,inside')], [2, 1, 2])
})

test('A repository that gets another owner loses the labels of the former one', async () => {
  const params = await tracker('moved')
  const shared = await label('left behind')
  await call(ADD, { as: eve, params, body: { labels: [shared] } })
  const { owner, repo } = params
  const moved = await call('POST /api/v1/repos/{owner}/{repo}/transfer', {
    as: eve,
    params: { owner, repo },
    body: { new_owner: 'other' },
  })
  assert.equal(moved.status, 202)
  assert.deepEqual((await call(OF_ISSUE, { params: { ...params, owner: 'other' } })).body, [])
  assert.equal((await ask(SHOW, { id: shared })).status, 200)
})

test(`concurrent ${ADD} and ${REMOVE} cause no error`, async () => {
  const params = await tracker('busy')
  const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => label(`busy ${n}`)))
  const answers = await Promise.all(
    ids.flatMap((id) => [call(ADD, { as: eve, params, body: { labels: [id] } }), ask(REMOVE, { id })]),
  )
  for (const { status } of answers) assert.ok([200, 204, 422].includes(status), `${status}`)
  assert.deepEqual((await call(OF_ISSUE, { params })).body, [])
})

test('Deleting an organization deletes its labels', async () => {
  const gone: Somebody = await make.person()
  const { name, id } = await make.organization(gone)
  await call(CREATE, { as: gone, params: { org: name }, body: { name: 'x', color: 'fff' } })
  assert.equal((await call('DELETE /api/v1/orgs/{org}', { as: gone, params: { org: name } })).status, 204)
  const rows = await pool`select id from forge.organization_label where organization_id = ${id}`
  assert.equal(rows.length, 0)
})
