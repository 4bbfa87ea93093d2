import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')
const shy = await make.person({ name: 'shy', visibility: 'private' })

const LIST = 'GET /api/v1/repos/{owner}/{repo}/issues'
const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
const COMMENT = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const EDIT_COMMENT = 'PATCH /api/v1/repos/{owner}/{repo}/issues/comments/{id}'
const REMOVE_COMMENT = 'DELETE /api/v1/repos/{owner}/{repo}/issues/comments/{id}'

const open = (repo: Repo, title: string, body = '', as: Somebody = owner) =>
  call(OPEN, { as, params: at(repo), body: { title, body } })
const say = (repo: Repo, index: number, body: string, as: Somebody = owner) =>
  call(COMMENT, { as, params: at(repo, { index }), body: { body } })
const list = (repo: Repo, query: Record<string, string | number>, as?: { authorization: string }) =>
  call(LIST, { params: at(repo), query, ...(as && { as }) })
const numbers = async (
  repo: Repo,
  query: Record<string, string | number>,
  as?: { authorization: string },
) => {
  const { status, body, headers } = await list(repo, query, as)
  assert.equal(status, 200, JSON.stringify(query))
  const found = body.map(({ number }: { number: number }) => number)
  if (query.limit === undefined) assert.equal(headers.get('x-total-count'), String(found.length))
  return found
}

test(`${LIST} finds what stands in titles, texts and comments, and a number`, async () => {
  const [repo, other] = [await make.repository(owner), await make.repository(owner)]
  await open(repo, 'A pump', 'It leaks OIL.')
  await open(repo, 'A valve', 'It sticks.')
  await open(repo, 'A pipe 1', '50% of _all_ Ärger')
  await open(other, 'The pump elsewhere')
  await say(other, 1, 'It leaks oil.')
  await say(repo, 2, 'As oily as the pump')
  await say(repo, 2, 'and again, the pump')
  await say(repo, 3, "it's a 'quoted' word")
  for (const [q, found] of [
    ['pump', [2, 1]],
    ['oil', [2, 1]],
    ['LEAKS', [1]],
    [' sticks ', [2]],
    ['elsewhere', []],
    ['Ärger', [3]],
    ["'quoted'", [3]],
    ["x') or true --", []],
    ['1', [3, 1]],
    ['2', [2]],
    ['999999999999999', []],
    ['99999999999999999999999', []],
    ['-1', []],
    ['oil%', []],
    ['it leaks%', [1]],
    ['\0', []],
    ['\\', []],
    ['x'.repeat(2000), []],
    ['', [3, 2, 1]],
    ['%', [3, 2, 1]],
  ] as const)
    assert.deepEqual(await numbers(repo, { q }), found, q)
  assert.deepEqual(await numbers(repo, { q: 'pump', limit: 1, page: 2 }), [1])
  assert.deepEqual(await numbers(repo, { q: 'pump', state: 'closed' }), [])
  assert.deepEqual(await numbers(repo, { q: 'pump', limit: 1, page: 3 }), [])
  await call(EDIT, { as: owner, params: at(repo, { index: 1 }), body: { state: 'closed', body: 'dry' } })
  assert.deepEqual(await numbers(repo, { q: 'pump', state: 'all' }), [2, 1])
  assert.deepEqual(await numbers(repo, { q: 'oil', state: 'all' }), [2])
})

test(`${LIST} is narrowed to issues that mention somebody in title, text or a comment`, async () => {
  const repo = await make.repository(owner)
  await open(repo, 'Ask @ada', 'please')
  await open(repo, 'x', 'cc @Ada, and (@EVE).')
  await open(repo, 'y', 'nothing for ada, a@da.example or `@ada`')
  const { body: comment } = await say(repo, 3, 'Hello @ada!')
  await open(repo, 'mine', 'says @ada of herself', ada)
  await say(repo, 4, 'as @eve knows', ada)
  const mentioning = (name: string, more = {}) => numbers(repo, { mentioned_by: name, ...more })
  assert.deepEqual(await mentioning('ada'), [3, 2, 1])
  assert.deepEqual(await mentioning('EVE'), [4, 2])
  assert.deepEqual(await mentioning('owner'), [])
  assert.deepEqual(await mentioning('ada', { limit: 1, page: 2 }), [2])
  assert.deepEqual(await mentioning('eve', { created_by: 'ada' }), [4])
  assert.deepEqual(await mentioning('ada', { q: 'cc' }), [2])
  // As with Gitea a mention stays: an edit adds none and takes none away.
  const params = at(repo, { id: comment.id })
  await call(EDIT_COMMENT, { as: owner, params, body: { body: 'Hello @eve!' } })
  await call(REMOVE_COMMENT, { as: owner, params })
  assert.deepEqual(await mentioning('ada'), [3, 2, 1])
  assert.deepEqual(await mentioning('eve'), [4, 2])
})

test(`${LIST} does not count users as mentioned who could not read the issue`, async () => {
  const secret = await make.repository(owner, { is_private: true })
  const [gone, idle] = [await make.person(), await make.person()]
  const organization = await make.organization(owner)
  await pool`update forge.account set prohibit_login = true where id = ${gone.id}`
  await pool`update forge.account set is_active = false where id = ${idle.id}`
  await pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    values (${secret.id}, ${eve.id}, 'read')`
  const all = [ada, eve, boss, gone, idle, organization].map(({ name }) => `@${name}`).join(' ')
  await open(secret, 'x', `${all} @nobody @o'brien @-`)
  const rows = await pool<{ name: string }[]>`
    select account.name
    from forge.issue_mention
    join forge.account on account.id = issue_mention.account_id
    join forge.issue on issue.id = issue_mention.issue_id
    where issue.repository_id = ${secret.id}
    order by account.name`
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['boss', 'eve'],
  )
  assert.deepEqual(await numbers(secret, { mentioned_by: 'eve' }, owner), [1])
  assert.deepEqual(await numbers(secret, { mentioned_by: 'ada' }, owner), [])
})

for (const name of ['created_by', 'assigned_by', 'mentioned_by']) {
  test(`${LIST} answers 404 where ${name} names nobody`, async () => {
    const repo = await make.repository(owner)
    await open(repo, 'x')
    for (const nobody of ['nobody', 'no body', 'ghost', '-', '../ada', "' or true --", '\0', 'x'.repeat(300)])
      holdRefusal(await list(repo, { [name]: nobody }, owner), 404, 'not found')
    holdRefusal(await list(repo, { [name]: 'nobody', type: 'pulls' }, owner), 404, 'not found')
    assert.deepEqual(await numbers(repo, { [name]: '' }), [1])
    assert.deepEqual(await numbers(repo, { [name]: ' ' }), [1])
    assert.deepEqual(await numbers(repo, { [name]: 'eve' }), [])
  })

  test(`${LIST} does not reveal by ${name} that a private account exists`, async () => {
    const repo = await make.repository(owner)
    await open(repo, 'x', 'for @shy')
    for (const as of [undefined, ada]) holdRefusal(await list(repo, { [name]: 'shy' }, as), 404, 'not found')
    assert.equal((await list(repo, { [name]: 'shy' }, boss)).status, 200)
    assert.equal((await list(repo, { [name]: 'shy' }, shy)).status, 200)
  })
}

test(`${LIST} finds the issues of a private account where they show it`, async () => {
  const repo = await make.repository(owner)
  await open(repo, 'hers', '', shy)
  assert.deepEqual(await numbers(repo, { created_by: 'shy' }), [1])
  holdRefusal(await list(repo, { created_by: 'shy', state: 'closed' }), 404, 'not found')
})

test(`${OPEN} and ${EDIT} keep the ref of an issue as it was written`, async () => {
  const repo = await make.repository(owner)
  const made = await call(OPEN, {
    as: owner,
    params: at(repo),
    body: { title: 'x', ref: 'refs/heads/näher dran' },
  })
  assert.deepEqual([made.status, made.body.ref], [201, 'refs/heads/näher dran'])
  const edit = (body: unknown, as: Somebody = owner) =>
    call(EDIT, { as, params: at(repo, { index: 1 }), body })
  await pool`delete from forge.event`
  assert.equal((await edit({ ref: 'v1' })).body.ref, 'v1')
  assert.equal(
    (await pool`select from forge.event where kind = 'issue.changed'`).length,
    0,
    'hooks hear nothing',
  )
  assert.equal((await edit({ title: 'y', ref: null })).body.ref, 'v1')
  assert.equal((await list(repo, {})).body[0].ref, 'v1')
  holdRefusal(await edit({ ref: 'x'.repeat(256) }), 422, '[Ref]: MaxSize')
  for (const ref of [7, ['v1'], {}, 'v\0']) assert.equal((await edit({ ref })).status, 422)
  assert.equal((await edit({ ref: 'v2' }, ada)).status, 403)
  const again = await call(EDIT, { as: owner, params: at(repo, { index: 1 }), body: { ref: '' } })
  assert.equal(again.body.ref, '')
  assert.equal((await open(repo, 'z')).body.ref, '')
  const long = await call(OPEN, {
    as: owner,
    params: at(repo),
    body: { title: 'x', ref: 'x'.repeat(256) },
  })
  holdRefusal(long, 422, '[Ref]: MaxSize')
})
