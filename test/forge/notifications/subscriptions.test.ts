import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseRepositories } from '../../../src/forge/repos/repo-store.ts'
import { deleteWatch, insertWatch } from '../../../src/forge/watching/watch-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import type { Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { untilLocked } from '../../support/wait.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')

const SHOW = 'GET /api/v1/repos/{owner}/{repo}/subscription'
const WATCH = 'PUT /api/v1/repos/{owner}/{repo}/subscription'
const UNWATCH = 'DELETE /api/v1/repos/{owner}/{repo}/subscription'
const WATCHERS = 'GET /api/v1/repos/{owner}/{repo}/subscribers'
const SUBSCRIBERS = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions'
const CHECK = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/check'
const SUBSCRIBE = 'PUT /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}'
const UNSUBSCRIBE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}'

const ask = (literal: string, repo: Repo, as: Somebody = ada, user = as.name) =>
  call(literal, { as, params: { owner: 'owner', repo: repo.name, index: 1, user } })

async function tracker(draft: { is_private?: boolean } = {}): Promise<Repo> {
  const repo = await make.repository(owner, draft)
  const params = { owner: 'owner', repo: repo.name }
  const literal = 'POST /api/v1/repos/{owner}/{repo}/issues'
  await call(literal, { as: owner, params, body: { title: 'It leaks' } })
  return repo
}

const watchersCount = async (repo: Repo) =>
  (await call('GET /api/v1/repos/{owner}/{repo}', { params: { owner: 'owner', repo: repo.name } })).body
    .watchers_count
const logins = (body: { login: string }[]) => body.map(({ login }) => login)

test(`${WATCH} starts to watch a repository, ${UNWATCH} stops it, ${SHOW} shows it; all are idempotent`, async () => {
  const repo = await make.repository(owner)
  holdRefusal(await ask(SHOW, repo), 404, 'not found')
  const url = `https://forgehall.example/api/v1/repos/Owner/${repo.name}`
  const expected = {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: `${clock.now().toISOString().slice(0, 19)}Z`,
    url: `${url}/subscription`,
    repository_url: url,
  }
  for (let twice = 0; twice < 2; twice++) {
    const { status, body } = await ask(WATCH, repo)
    assert.deepEqual([status, body], [200, expected])
    assert.equal(await watchersCount(repo), 2)
    clock.tick(5000)
  }
  assert.deepEqual((await ask(SHOW, repo)).body, expected)
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await ask(UNWATCH, repo)).status, 204)
    assert.equal(await watchersCount(repo), 1)
  }
})

test(`${WATCH} by many users at once is counted correctly, and so is the deletion of an account`, async () => {
  const repo = await make.repository(owner)
  const people = await Promise.all(Array.from({ length: 12 }, () => make.person()))
  await Promise.all(people.flatMap((each) => [ask(WATCH, repo, each), ask(WATCH, repo, each)]))
  assert.equal(await watchersCount(repo), 13)
  await Promise.all(people.slice(0, 5).map((each) => ask(UNWATCH, repo, each)))
  assert.equal(await watchersCount(repo), 8)
  for (const { name } of people.slice(5, 8)) {
    await call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: name } })
  }
  assert.equal(await watchersCount(repo), 5)
  const [row] =
    await pool`select count(*) as rows from forge.repository_watch where repository_id = ${repo.id}`
  assert.equal(row?.rows, 5)
})

test(`${WATCHERS} lists the watchers in pages; the creator of a repository watches it`, async () => {
  const made = await call('POST /api/v1/admin/users/{username}/repos', {
    as: boss,
    params: { username: 'owner' },
    body: { name: 'made' },
  })
  assert.equal(made.body.watchers_count, 1)
  const repo = { id: made.body.id, name: 'made' }
  assert.deepEqual(logins((await ask(WATCHERS, repo)).body), ['boss'])
  await ask(WATCH, repo, ada)
  await ask(WATCH, repo, eve)
  const params = { owner: 'owner', repo: 'made' }
  const { body, headers } = await call(WATCHERS, { params, query: { limit: 2, page: 2 } })
  assert.deepEqual([logins(body), headers.get('x-total-count')], [['eve'], '3'])
  const beyond = await call(WATCHERS, { params, query: { limit: 2, page: 9 } })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '3'])
})

test(`${SUBSCRIBE} and ${UNSUBSCRIBE} answer 201 for a change and 200 for none`, async () => {
  const repo = await tracker()
  assert.equal((await ask(SUBSCRIBE, repo)).status, 201)
  assert.equal((await ask(SUBSCRIBE, repo)).status, 200)
  assert.deepEqual(logins((await ask(SUBSCRIBERS, repo)).body), ['ada'])
  assert.equal((await ask(UNSUBSCRIBE, repo)).status, 201)
  assert.equal((await ask(UNSUBSCRIBE, repo)).status, 200)
  assert.deepEqual(logins((await ask(SUBSCRIBERS, repo)).body), [])
  assert.equal((await ask(UNSUBSCRIBE, repo, owner)).status, 201, 'the author hears of it unless it says no')
  assert.equal((await ask(SUBSCRIBE, repo, owner)).status, 201)
  assert.equal((await ask(SUBSCRIBE, repo, ada, 'ADA')).status, 201)
  const { headers } = await ask(SUBSCRIBERS, repo)
  assert.equal(headers.get('x-total-count'), '2')
})

test(`${CHECK} shows whether the caller is subscribed to an issue, for any reason`, async () => {
  const repo = await tracker()
  const checked = async (as: Somebody) => {
    const { body } = await ask(CHECK, repo, as)
    return [body.subscribed, body.ignored]
  }
  assert.deepEqual(await checked(owner), [true, false])
  assert.deepEqual(await checked(ada), [false, true])
  await ask(WATCH, repo, ada)
  assert.deepEqual(await checked(ada), [true, false])
  await ask(UNSUBSCRIBE, repo, ada)
  assert.deepEqual(await checked(ada), [false, true])
  const comment = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
  await call(comment, {
    as: eve,
    params: { owner: 'owner', repo: repo.name, index: 1 },
    body: { body: 'x' },
  })
  assert.deepEqual(await checked(eve), [true, false])
  const { body } = await ask(CHECK, repo, eve)
  assert.equal(body.url, `${body.repository_url}/issues/1/subscriptions`)
})

test(`${SUBSCRIBE} and ${UNSUBSCRIBE} are for oneself, and for administrators`, async () => {
  const repo = await tracker()
  for (const literal of [SUBSCRIBE, UNSUBSCRIBE]) {
    const sentence = 'eve is not permitted to change subscriptions for ada'
    holdRefusal(await ask(literal, repo, eve, 'ada'), 403, sentence)
    assert.equal((await ask(literal, repo, boss, 'ada')).status, 201)
    holdRefusal(await ask(literal, repo, boss, 'nobody'), 404, 'user redirect does not exist [name: nobody]')
    assert.equal((await ask(literal, repo, boss, '%')).status, 404)
  }
})

test(`${SUBSCRIBERS}, ${CHECK}, ${SUBSCRIBE} and ${UNSUBSCRIBE} answer 404 for an issue that does not exist`, async () => {
  const repo = await make.repository(owner)
  for (const literal of [SUBSCRIBERS, CHECK, SUBSCRIBE, UNSUBSCRIBE])
    holdRefusal(await ask(literal, repo), 404, 'not found')
})

for (const literal of [SHOW, WATCH, UNWATCH, WATCHERS, SUBSCRIBERS, CHECK, SUBSCRIBE, UNSUBSCRIBE]) {
  test(`${literal} is for those who may read the repository, with a token for it`, async () => {
    const [repo, secret] = [await tracker(), await tracker({ is_private: true })]
    const category = literal.includes('/issues/') ? 'issue' : 'repository'
    const level = literal.startsWith('GET') ? 'read' : 'write'
    const params = { owner: 'owner', repo: repo.name, index: 1, user: 'ada' }
    const isOpen = literal === WATCHERS || literal === SUBSCRIBERS
    assert.equal((await call(literal, { params })).status, isOpen ? 200 : 401)
    holdRefusal(await ask(literal, secret, eve), 404, 'not found')
    const poor = await call(literal, { params, as: bearer(await make.token(ada, 'write:notification')) })
    assert.match(poor.body.message, new RegExp(`required=\\[${level}:${category}\\]`))
    await ask(WATCH, repo)
    const rich = await call(literal, { params, as: bearer(await make.token(ada, `${level}:${category}`)) })
    assert.ok(rich.status < 300, `${rich.status}`)
  })
}

test(`${WATCH}, ${UNWATCH} and ${SUBSCRIBE} work on archived repositories too`, async () => {
  const repo = await tracker()
  const params = { owner: 'owner', repo: repo.name }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: owner, params, body: { archived: true } })
  for (const literal of [WATCH, UNWATCH, SUBSCRIBE]) assert.ok((await ask(literal, repo)).status < 300)
})

for (const [literal, change] of [
  [WATCH, insertWatch],
  [UNWATCH, deleteWatch],
] as const) {
  test(`${literal} waits for a deletion of the repository, and neither has to try again`, {
    skip: !onServer && 'one session: nothing can be made to wait',
  }, async () => {
    const repo = await make.repository(owner)
    if (literal === UNWATCH) await ask(WATCH, repo)
    let tries = 0
    const changing = await pool.begin(async (tx) => {
      await tx`select from forge.repository where id = ${repo.id} for no key update`
      const changing = make.begin((own) => {
        tries++
        return change(own, repo.id, ada.id)
      })
      await untilLocked(pool, 'the change waits')
      await releaseRepositories(tx, { id: repo.id })
      return { changing }
    })
    await changing.changing
    assert.equal(tries, 1)
    const left =
      await pool`select from forge.repository_watch where repository_id = ${repo.id} and account_id = ${ada.id}`
    assert.equal(left.length, literal === UNWATCH ? 1 : 0)
  })
}
