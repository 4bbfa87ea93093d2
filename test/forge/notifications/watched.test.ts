import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, make } = await startApp()
const [owner, eve] = await make.people('Owner', 'eve')

const MINE = 'GET /api/v1/user/subscriptions'
const THEIRS = 'GET /api/v1/users/{username}/subscriptions'

const namesIn = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name)
const watch = (as: Somebody, repo: string) =>
  call('PUT /api/v1/repos/{owner}/{repo}/subscription', { as, params: { owner: 'owner', repo } })
const theirs = ({ name: username }: { name: string }, as: Somebody) =>
  call(THEIRS, { as, params: { username } })

test(`${MINE} and ${THEIRS} list what is watched and the reader may read, in pages`, async () => {
  const open = await make.repository(owner)
  const hidden = await make.repository(owner, { is_private: true })
  const somebody = await make.person()
  assert.deepEqual(namesIn(await call(MINE, { as: somebody })), [])
  const mine = await call(MINE, { as: owner })
  assert.deepEqual([namesIn(mine), mine.headers.get('x-total-count')], [[open.name, hidden.name], '2'])
  const page = await call(MINE, { as: owner, query: { page: 2, limit: 1 } })
  assert.deepEqual(namesIn(page), [hidden.name])
  assert.match(page.headers.get('link') ?? '', /rel="first"/)
  assert.deepEqual(namesIn(await theirs(owner, owner)), [open.name, hidden.name])
  const seen = await theirs(owner, somebody)
  assert.deepEqual([namesIn(seen), seen.headers.get('x-total-count')], [[open.name], '1'])
  const limited = bearer(await make.token(owner, 'read:user', 'public-only'))
  assert.deepEqual(namesIn(await call(MINE, { as: limited })), [open.name])

  assert.equal((await watch(somebody, open.name)).status, 200)
  assert.deepEqual(namesIn(await call(MINE, { as: somebody })), [open.name])
  const params = { owner: 'owner', repo: open.name }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: owner, params, body: { private: true } })
  assert.deepEqual(namesIn(await call(MINE, { as: somebody })), [])
  assert.deepEqual(namesIn(await theirs(owner, somebody)), [])
})

test(`${MINE} and ${THEIRS} refuse as other lists do`, async () => {
  const hidden = await make.person({ visibility: 'private' })
  holdRefusal(await call(MINE), 401, 'token is required')
  holdRefusal(await call(THEIRS, { params: { username: 'owner' } }), 401, 'token is required')
  assert.equal((await theirs(hidden, eve)).status, 404)
  const narrow = bearer(await make.token(eve, 'read:repository'))
  for (const literal of [MINE, THEIRS])
    assert.equal((await call(literal, { as: narrow, params: { username: 'eve' } })).status, 403)
})
