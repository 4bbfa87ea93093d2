import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdDueEvents } from '../../../src/db/outbox-events.ts'
import { hookConsumer } from '../../../src/forge/webhooks/events.ts'
import { startApp } from '../../support/app.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/issues/comments/{id}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/issues/comments/{id}'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/comments/{id}'
const OF_REPOSITORY = 'GET /api/v1/repos/{owner}/{repo}/issues/comments'
/** Deprecated, and the number of the issue means nothing. */
const EDIT_FORMERLY = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}/comments/{id}'
const REMOVE_FORMERLY = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/comments/{id}'

/** A repository with one issue. */
async function tracker(draft: { is_private?: boolean } = {}): Promise<Repo> {
  const repo = await make.repository(owner, draft)
  const literal = 'POST /api/v1/repos/{owner}/{repo}/issues'
  await call(literal, { as: owner, params: at(repo), body: { title: 'It leaks' } })
  return repo
}

const say = (repo: Repo, body: unknown, as: Somebody = ada) =>
  call(CREATE, { as, params: at(repo, { index: 1 }), body })
const one = (literal: string, repo: Repo, id: number | string, as: Somebody = ada, body?: unknown) =>
  call(literal, { as, params: at(repo, { id, index: 77 }), ...(body !== undefined && { body }) })
const list = (repo: Repo, query: Record<string, string | number> = {}) =>
  call(LIST, { params: at(repo, { index: 1 }), query })
const issueOf = async (repo: Repo) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}', {
      as: ada,
      params: at(repo, { index: 1 }),
    })
  ).body

test(`${CREATE} answers 201 with the comment, counts it, and moves the issue`, async () => {
  const repo = await tracker()
  clock.tick(5000)
  const { status, body } = await say(repo, { body: 'Yes, *it* does' })
  assert.equal(status, 201)
  const { user, ...rest } = body
  const page = `https://forgehall.example/Owner/${repo.name}/issues/1`
  const moment = `${clock.now().toISOString().slice(0, 19)}Z`
  assert.equal(user.login, 'ada')
  assert.deepEqual(rest, {
    id: body.id,
    html_url: `${page}#issuecomment-${body.id}`,
    pull_request_url: '',
    issue_url: page,
    original_author: '',
    original_author_id: 0,
    body: 'Yes, *it* does',
    assets: [],
    created_at: moment,
    updated_at: moment,
  })
  const issue = await issueOf(repo)
  assert.deepEqual([issue.comments, issue.updated_at], [1, moment])
  assert.deepEqual((await one(SHOW, repo, body.id)).body, body)
})

test(`${CREATE} by many at once counts all of them`, async () => {
  const repo = await tracker()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => say(repo, { body: `n${n}` })))
  assert.ok(answers.every(({ status }) => status === 201))
  assert.equal((await issueOf(repo)).comments, 20)
  await Promise.all(answers.slice(0, 15).map(({ body }) => one(REMOVE, repo, body.id)))
  assert.equal((await issueOf(repo)).comments, 5)
})

test(`${LIST} shows the comments of a time range, the oldest first`, async () => {
  const repo = await tracker()
  for (const body of ['a', 'b', 'c']) {
    clock.tick(10_000)
    await say(repo, { body })
  }
  const bodies = async (query = {}) =>
    (await list(repo, query)).body.map(({ body }: { body: string }) => body)
  assert.deepEqual(await bodies(), ['a', 'b', 'c'])
  const { created_at: middle } = (await list(repo)).body[1]
  assert.deepEqual(await bodies({ since: middle }), ['b', 'c'])
  assert.deepEqual(await bodies({ before: middle }), ['a', 'b'])
  const { body, headers } = await list(repo, { limit: 2, page: 2 })
  assert.deepEqual([body.length, headers.get('x-total-count')], [1, '3'])
  assert.equal((await list(repo, { since: 'x' })).status, 422)
  assert.deepEqual((await list(await tracker())).body, [])
  const none = await call(LIST, { params: at(repo, { index: 2 }) })
  holdRefusal(none, 404, 'not found')
})

test(`${CREATE} and ${EDIT} refuse what says nothing, or too much`, async () => {
  const repo = await tracker()
  const { body: made } = await say(repo, { body: 'x' })
  const ways = [
    (body: unknown) => say(repo, body),
    (body: unknown) => one(EDIT, repo, made.id, ada, body),
    (body: unknown) => one(EDIT_FORMERLY, repo, made.id, ada, body),
  ]
  for (const way of ways) {
    for (const body of [{}, { body: '' }, { body: null }])
      holdRefusal(await way(body), 422, '[Body]: Required')
    holdRefusal(await way({ body: 'x'.repeat(65_537) }), 422, '[Body]: MaxSize')
    for (const body of [{ body: 7 }, { body: [] }, [], 'x', '', { body: 'x\0' }])
      assert.equal((await way(body)).status, 422, JSON.stringify(body))
  }
  assert.equal((await issueOf(repo)).comments, 1)
})

for (const [EDIT_IT, REMOVE_IT] of [
  [EDIT, REMOVE],
  [EDIT_FORMERLY, REMOVE_FORMERLY],
] as const)
  test(`${EDIT_IT} and ${REMOVE_IT} are for the author and for who may write`, async () => {
    const repo = await tracker()
    const { body: made } = await say(repo, { body: 'mine' })
    clock.tick(5000)
    const edited = await one(EDIT_IT, repo, made.id, ada, { body: 'still mine' })
    assert.deepEqual([edited.status, edited.body.body], [200, 'still mine'])
    assert.ok(edited.body.updated_at > edited.body.created_at)
    const same = await one(EDIT_IT, repo, made.id, ada, { body: 'still mine' })
    assert.equal(same.body.updated_at, edited.body.updated_at)
    const sentence = 'only the author and those who may write to the issues can change this'
    holdRefusal(await one(EDIT_IT, repo, made.id, eve, { body: 'x' }), 403, sentence)
    holdRefusal(await one(REMOVE_IT, repo, made.id, eve), 403, sentence)
    assert.equal((await one(EDIT_IT, repo, made.id, owner, { body: 'moderated' })).body.body, 'moderated')
    assert.equal((await one(REMOVE_IT, repo, made.id, boss)).status, 204)
    assert.equal((await one(REMOVE_IT, repo, made.id, boss)).status, 404)
    assert.equal((await issueOf(repo)).comments, 0)
  })

for (const literal of [SHOW, EDIT, EDIT_FORMERLY, REMOVE, REMOVE_FORMERLY]) {
  test(`${literal} knows comments of the repository only`, async () => {
    const [repo, other] = [await tracker(), await tracker()]
    const { body: made } = await say(other, { body: 'there' })
    for (const id of [made.id, 0, -1, 'x', '99999999999999999999', '1e3', 987_654_321]) {
      const body = literal.startsWith('PATCH') ? { body: 'x' } : undefined
      holdRefusal(await one(literal, repo, id, owner, body), 404, 'not found')
    }
    assert.equal((await one(SHOW, other, made.id)).body.body, 'there')
  })
}

test(`${OF_REPOSITORY} shows the comments on all issues, the oldest first, in pages and in a time`, async () => {
  const [repo, other] = [await tracker(), await tracker()]
  for (const title of ['second', 'third'])
    await call('POST /api/v1/repos/{owner}/{repo}/issues', { as: owner, params: at(repo), body: { title } })
  await say(other, { body: 'elsewhere' })
  for (const [index, body] of [
    [2, 'a'],
    [1, 'b'],
    [2, 'c'],
    [3, 'd'],
  ] as const) {
    clock.tick(10_000)
    await call(CREATE, { as: ada, params: at(repo, { index }), body: { body } })
  }
  const all = (query: Record<string, string | number> = {}, where = repo) =>
    call(OF_REPOSITORY, { params: at(where), query })
  const bodies = async (query = {}) => (await all(query)).body.map(({ body }: { body: string }) => body)
  assert.deepEqual(await bodies(), ['a', 'b', 'c', 'd'])
  const { body } = await all()
  assert.deepEqual(body[0], (await call(SHOW, { params: at(repo, { id: body[0].id }) })).body)
  assert.match(body[0].issue_url, /\/issues\/2$/)
  assert.match(body[1].issue_url, /\/issues\/1$/)
  const second = await all({ limit: 3, page: 2 })
  assert.deepEqual([second.body.length, second.headers.get('x-total-count')], [1, '4'])
  assert.deepEqual((await all({ page: 9 })).body, [])
  const [b, c] = [body[1].created_at, body[2].created_at]
  assert.deepEqual(await bodies({ since: c }), ['c', 'd'])
  assert.deepEqual(await bodies({ before: b }), ['a', 'b'])
  assert.deepEqual(await bodies({ since: b, before: c }), ['b', 'c'])
  for (const name of ['since', 'before'])
    holdRefusal(await all({ [name]: 'yesterday' }), 422, `${name} is no date-time of RFC 3339: yesterday`)
  await one(REMOVE, repo, body[0].id)
  assert.deepEqual(await bodies(), ['b', 'c', 'd'])
  assert.deepEqual((await all({}, await tracker())).body, [])
})

for (const literal of [LIST, OF_REPOSITORY, CREATE, SHOW, EDIT, EDIT_FORMERLY, REMOVE, REMOVE_FORMERLY]) {
  test(`${literal} is for those who may read the issues, with a token for them`, async () => {
    const [repo, secret] = [await tracker(), await tracker({ is_private: true })]
    const ids = new Map<Repo, number>()
    for (const each of [repo, secret]) ids.set(each, (await say(each, { body: 'x' }, owner)).body.id)
    const ask = (where: Repo, as?: { authorization: string }) => {
      const body = /^(?:POST|PATCH)/.test(literal) ? { body: 'y' } : undefined
      const params = at(where, { index: 1, id: ids.get(where) ?? 0 })
      return call(literal, { params, ...(as && { as }), ...(body && { body }) })
    }
    const writes = !literal.startsWith('GET')
    assert.equal((await ask(repo)).status, writes ? 401 : 200)
    holdRefusal(await ask(secret, eve), 404, 'not found')
    const poor = await ask(repo, bearer(await make.token(owner, 'write:repository')))
    assert.match(poor.body.message, new RegExp(`required=\\[${writes ? 'write' : 'read'}:issue\\]`))
    const settings = { as: owner, params: at(repo) }
    await call('PATCH /api/v1/repos/{owner}/{repo}', { ...settings, body: { archived: true } })
    const archived = await ask(repo, owner)
    assert.equal(archived.status, writes ? 423 : 200)
    await call('PATCH /api/v1/repos/{owner}/{repo}', {
      ...settings,
      // Comments of pull requests are read by the same operations.
      body: { archived: false, has_issues: false, has_pull_requests: false },
    })
    assert.equal((await ask(repo, owner)).status, 404)
    assert.ok((await ask(secret, bearer(await make.token(owner, 'write:issue')))).status < 300)
  })
}

test(`${CREATE}, ${EDIT} and ${REMOVE} send webhook events with the comment and its issue`, async () => {
  const repo = await tracker()
  await pool`delete from forge.event`
  const { body: made } = await say(repo, { body: 'first' })
  await one(EDIT, repo, made.id, ada, { body: 'second' })
  await one(REMOVE, repo, made.id)
  const messages = await queuedMessages(pool)
  const payloads = messages.filter(({ event }) => event === 'issue_comment').map(({ payload }) => payload)
  assert.deepEqual(
    payloads.map(({ action, issue, comment, changes, is_pull, sender }) => [
      action,
      issue.comments,
      comment.body,
      changes,
      is_pull,
      sender.login,
    ]),
    [
      ['created', 1, 'first', undefined, false, 'ada'],
      ['edited', 1, 'second', { body: { from: 'first' } }, false, 'ada'],
      ['deleted', 0, 'second', undefined, false, 'ada'],
    ],
  )
  const keys = ['action', 'issue', 'comment', 'repository', 'sender', 'is_pull']
  assert.deepEqual(Object.keys(payloads[0]), keys)
})

test('comments stay without their author, and go with one who is purged', async () => {
  const repo = await tracker()
  const [kept, purged] = [await make.person(), await make.person()]
  await say(repo, { body: 'kept' }, kept)
  await say(repo, { body: 'purged' }, purged)
  for (const [{ name }, purge] of [
    [kept, 'false'],
    [purged, 'true'],
  ] as const) {
    const removal = { as: boss, params: { username: name }, query: { purge } }
    assert.equal((await call('DELETE /api/v1/admin/users/{username}', removal)).status, 204)
  }
  const { body } = await list(repo)
  assert.deepEqual(
    body.map(({ body, user }: { body: string; user: { login: string } }) => [body, user.login]),
    [['kept', 'Ghost']],
  )
  assert.equal((await issueOf(repo)).comments, 1)
})

test('a webhook for `issues` receives comments, labels and assignments under their own event names', async () => {
  const repo = await tracker()
  const config = { url: 'https://hear.example/in', content_type: 'json' }
  const hook = { type: 'gitea', config, events: ['issues'], active: true }
  const params = at(repo, { index: 1 })
  const made = await call('POST /api/v1/repos/{owner}/{repo}/hooks', { as: owner, params, body: hook })
  assert.equal(made.status, 201)
  await pool`delete from forge.event`
  await say(repo, { body: 'Yes' })
  const edit = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
  await call(edit, { as: owner, params, body: { state: 'closed', assignees: ['owner'] } })
  await make.begin(async (tx) => hookConsumer(tx, await holdDueEvents(tx, 100, tx.now), tx.now))
  const sent = await pool`
    select event, event_type, body from forge.hook_delivery where hook_id = ${made.body.id} order by id`
  assert.deepEqual(
    sent.map(({ event, event_type, body }) => [event, event_type, JSON.parse(body).action]),
    [
      ['issue_comment', 'issue_comment', 'created'],
      ['issues', 'issues', 'closed'],
      ['issues', 'issue_assign', 'assigned'],
    ],
  )
  const [comment] = sent.map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    [comment.comment.body, comment.issue.number, comment.repository.name],
    ['Yes', 1, repo.name],
  )
})
