import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { orgCalls } from '../../support/forge/orgs.fixtures.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const invalid = (name: string) =>
  `name is invalid [${name}]: must be valid alpha or numeric or dash(-_) or dot characters, begin and end with a letter or digit, and have no two of - _ . together`

const app = await startApp()
const { call, pool, make } = app

const [ada, bob] = await make.people('Ada', 'bob')
const { create, edit, rename, remove, show, trail } = orgCalls(app, ada)
await make.organization(ada, { name: 'Engines' })

test('POST /orgs/{org}/rename leads from the old name to the new one, for every method', async () => {
  await create({ username: 'first' })
  assert.equal((await rename('first', 'second')).status, 204)
  const moved = await call('GET /api/v1/orgs/{org}', { params: { org: 'FIRST' }, query: { a: 'b' } })
  assert.deepEqual([moved.status, moved.headers.get('location')], [307, '/api/v1/orgs/second?a=b'])
  for (const answered of [
    await edit('first', {}),
    await rename('first', 'third'),
    await remove('first'),
    await call('GET /api/v1/orgs/{org}/members', { params: { org: 'first' }, as: ada }),
  ]) {
    assert.equal(answered.status, 307)
    assert.match(answered.headers.get('location') ?? '', /^\/api\/v1\/orgs\/second/)
  }
  assert.deepEqual(await trail(1), [
    {
      action: 'organization.renamed',
      target_name: 'second',
      actor_name: 'Ada',
      details: { from: 'first' },
    },
  ])
  // A new owner of the old name ends the redirect, and going back to a former name works.
  assert.equal((await create({ username: 'First' }, bob)).status, 201)
  assert.equal((await show('first')).body.name, 'First')
  assert.equal((await rename('second', 'third')).status, 204)
  assert.equal((await rename('third', 'second')).status, 204)
  assert.equal((await show('second')).status, 200)
})

test('POST /orgs/{org}/rename: the same name is nothing, another case is no redirect', async () => {
  await create({ username: 'casual' })
  const before = await trail(1)
  assert.equal((await rename('casual', 'casual')).status, 204)
  assert.deepEqual(await trail(1), before)
  assert.equal((await rename('casual', 'CASUAL')).status, 204)
  assert.equal((await show('casual')).body.name, 'CASUAL')
  const redirects = await pool`select key from forge.name_redirect where key = 'casual'`
  assert.equal(redirects.length, 0)
})

test('POST /orgs/{org}/rename refuses names that are taken, reserved or none', async () => {
  await create({ username: 'stays' })
  for (const [name, message] of [
    ['', '[NewName]: Required'],
    ['ADA', 'user already exists [name: ADA]'],
    ['engines', 'user already exists [name: engines]'],
    ['Api', 'name is reserved [name: api]'],
    ['x.atom', 'name pattern is not allowed [pattern: *.atom]'],
    ['a b', invalid('a b')],
    ['a\n', invalid('a\n')],
    ['x'.repeat(256), '[NewName]: MaxSize'],
  ] as const) {
    holdRefusal(await rename('stays', name), 422, message)
  }
  assert.equal((await show('stays')).status, 200)
  const long = 'x'.repeat(255)
  assert.equal((await rename('stays', long)).status, 204)
  assert.equal((await show(long)).body.name, long)
})
