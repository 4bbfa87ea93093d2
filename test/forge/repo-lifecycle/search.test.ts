import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { As } from '../../support/forge/make.ts'

/** Each parameter of the search changes its answer as it says. */

const search = 'GET /api/v1/repos/search'
const { call, make, pool } = await startApp({ DATA_DIR: await temporaryFolder() })
const [ada, bob, eve] = await make.people('ada', 'bob', 'eve')
const guild = await make.organization(bob, { name: 'guild' })
const { id: readers } = await make.team(guild, [ada], { name: 'readers' })

const repositories: readonly (readonly [As, object])[] = [
  [ada, { name: 'engine', description: 'Drives the Mühle' }],
  [ada, { name: 'hidden', private: true, description: 'A secret mill' }],
  [bob, { name: 'enginehouse', description: 'For engines' }],
  [bob, { name: 'plain' }],
]
for (const [as, body] of repositories)
  assert.equal((await call('POST /api/v1/user/repos', { as, body })).status, 201)
const common = await call('POST /api/v1/orgs/{org}/repos', {
  as: bob,
  params: { org: 'guild' },
  body: { name: 'common' },
})
await pool`insert into forge.team_repository (team_id, repository_id) values (${readers}, ${common.body.id})`
await pool`update forge.repository set size = 100 where key = 'plain'`
for (const repo of ['engine', 'hidden'])
  await call('PUT /api/v1/user/starred/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo } })
await pool`update forge.account set visibility = 'private' where name = 'eve'`
await call('PUT /api/v1/user/starred/{owner}/{repo}', { as: eve, params: { owner: 'bob', repo: 'plain' } })

async function found(query: Record<string, string | number>, as: As = ada): Promise<string[]> {
  const { status, body } = await call(search, { as, query })
  assert.equal(status, 200)
  return body.data.map((each: { full_name: string }) => each.full_name)
}

test(`${search} finds by name, by several texts, by owner and name, and in descriptions`, async () => {
  for (const [q, more, expected] of [
    ['engine', {}, ['ada/engine', 'bob/enginehouse']],
    ['plain,hidd', {}, ['ada/hidden', 'bob/plain']],
    ['plain, ENGINEH ,', {}, ['bob/enginehouse', 'bob/plain']],
    ['bob/engine', {}, ['bob/enginehouse']],
    ['bob/', {}, ['bob/enginehouse', 'bob/plain']],
    ['/engine', {}, ['ada/engine', 'bob/enginehouse']],
    ['a/b/c', {}, []],
    ['nothing,', {}, []],
    ['mill', {}, []],
    ['mill', { includeDesc: 'true' }, ['ada/hidden']],
    ['MÜHLE', { includeDesc: 'true' }, ['ada/engine']],
    ['mill,bob/plain', { includeDesc: 'true' }, ['ada/hidden', 'bob/plain']],
  ] as const)
    assert.deepEqual(await found({ q, ...more }), expected, q)
  assert.deepEqual(await found({ q: 'mill,bob/plain', includeDesc: 'true' }, eve), ['bob/plain'])
  assert.deepEqual(await found({ q: 'house,hidden', uid: ada.id }), ['ada/hidden'])
})

test(`${search} filters by team, by stars and by what is private`, async () => {
  const all = ['guild/common', 'ada/engine', 'bob/enginehouse', 'ada/hidden', 'bob/plain']
  assert.deepEqual(await found({}), all)
  assert.deepEqual(await found({ private: 'true' }), all)
  assert.deepEqual(
    await found({ private: 'false' }),
    all.filter((name) => name !== 'ada/hidden'),
  )
  assert.deepEqual(await found({ is_private: 'true' }), ['ada/hidden'])
  assert.deepEqual(await found({ private: 'false', is_private: 'true' }), [])
  assert.deepEqual(await found({ team_id: readers }), ['guild/common'])
  assert.deepEqual(await found({ team_id: readers }, eve), [], 'who may not see the team')
  assert.deepEqual(await found({ team_id: 999_999 }), [])
  assert.deepEqual(await found({ starredBy: ada.id }), ['ada/engine', 'ada/hidden'])
  assert.deepEqual(await found({ starredBy: ada.id }, bob), ['ada/engine'])
  assert.deepEqual(await found({ starredBy: eve.id }, eve), ['bob/plain'])
  assert.deepEqual(await found({ starredBy: eve.id }, bob), [], 'who may not see the user')
  assert.deepEqual(await found({ starredBy: ada.id, uid: bob.id }), [])
})

test(`${search} sorts by the size of git and of LFS`, async () => {
  assert.equal((await found({ sort: 'git_size', order: 'desc' }))[0], 'bob/plain')
  assert.equal((await found({ sort: 'lfs_size', order: 'asc' }))[0], 'ada/engine')
})
