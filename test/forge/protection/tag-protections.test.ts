import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProtected } from '../../support/forge/protected.ts'

const { call, pool, make, ada, bob, eve, repository } = await startProtected()
const LIST = 'GET /api/v1/repos/{owner}/{repo}/tag_protections'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/tag_protections'
const GET = 'GET /api/v1/repos/{owner}/{repo}/tag_protections/{id}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/tag_protections/{id}'
const DELETE = 'DELETE /api/v1/repos/{owner}/{repo}/tag_protections/{id}'
const on = (id: number, body?: object) => ({ params: { id }, ...(body && { body }) })

test(`${CREATE}, ${GET}, ${LIST}, ${EDIT} and ${DELETE} are for administrators of the repository`, async () => {
  const repo = await repository()
  const body = { name_pattern: ' v* ', whitelist_usernames: ['bob', 'eve'] }
  const created = await repo.ask(ada, CREATE, { body })
  const { id, name_pattern, whitelist_usernames, whitelist_teams } = created.body
  assert.deepEqual(
    [created.status, name_pattern, whitelist_usernames, whitelist_teams],
    [201, 'v*', ['bob'], []],
  )
  assert.deepEqual((await repo.ask(ada, GET, on(id))).body, created.body)
  assert.deepEqual((await repo.ask(ada, LIST)).body, [created.body])
  const edited = await repo.ask(ada, EDIT, on(id, { name_pattern: '/^v/' }))
  assert.deepEqual([edited.body.name_pattern, edited.body.whitelist_usernames], ['/^v/', ['bob']])
  const cleared = await repo.ask(ada, EDIT, on(id, { whitelist_usernames: [], whitelist_teams: ['none'] }))
  assert.deepEqual([cleared.body.name_pattern, cleared.body.whitelist_usernames], ['/^v/', []])
  for (const [as, status] of [
    [undefined, 401],
    [eve, 403],
    [bob, 403],
  ] as const)
    for (const [literal, more] of [
      [LIST, {}],
      [CREATE, { body }],
      [GET, on(id)],
      [EDIT, on(id, {})],
      [DELETE, on(id)],
    ] as const)
      assert.equal((await repo.ask(as, literal, more)).status, status, literal)
  const other = await repository()
  for (const literal of [GET, EDIT, DELETE])
    assert.equal((await other.ask(ada, literal, on(id, literal === EDIT ? {} : undefined))).status, 404)
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: repo.params, body: { archived: true } })
  assert.equal((await repo.ask(ada, CREATE, { body: { ...body, name_pattern: 'x' } })).status, 423)
  assert.equal((await repo.ask(ada, EDIT, on(id, {}))).status, 423)
  assert.equal((await repo.ask(ada, DELETE, on(id))).status, 423)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: repo.params,
    body: { archived: false },
  })
  assert.equal((await repo.ask(ada, DELETE, on(id))).status, 204)
  assert.deepEqual((await repo.ask(ada, LIST)).body, [])
  const deeds = await pool`select from forge.audit where action like 'repository.tag_protection%'`
  assert.equal(deeds.length, 4)
})

test(`${CREATE} refuses an empty, taken or malformed pattern, empty lists, and unknown users`, async () => {
  const repo = await repository()
  const users = { whitelist_usernames: ['bob'] }
  await repo.ask(ada, CREATE, { body: { name_pattern: 'v*', ...users } })
  const { body: second } = await repo.ask(ada, CREATE, { body: { name_pattern: 'w*', ...users } })
  for (const [body, status, message] of [
    [{ ...users }, 400, 'name_pattern are empty'],
    [{ name_pattern: 'x' }, 400, 'both whitelist_usernames and whitelist_teams are empty'],
    [{ name_pattern: 'v*', ...users }, 403, 'Tag protection already exist'],
    [{ name_pattern: '/(/', ...users }, 422, undefined],
    [{ name_pattern: '/(a)\\1/', ...users }, 422, undefined],
    [{ name_pattern: `/${'(a{1000}){1000}'}/`, ...users }, 422, undefined],
    [
      { name_pattern: 'x', whitelist_usernames: ['nobody'] },
      422,
      'user does not exist [uid: 0, name: nobody]',
    ],
    [{ name_pattern: 'x'.repeat(256), ...users }, 422, '[NamePattern]: MaxSize'],
  ] as const) {
    const answer = await repo.ask(ada, CREATE, { body })
    assert.equal(answer.status, status, JSON.stringify(body).slice(0, 100))
    if (message !== undefined) assert.equal(answer.body.message, message)
  }
  assert.equal((await repo.ask(ada, EDIT, on(second.id, { name_pattern: 'v*' }))).status, 403)
  assert.equal((await repo.ask(ada, EDIT, on(second.id, { name_pattern: '[' }))).status, 422)
  assert.equal((await repo.ask(ada, LIST)).body.length, 2)
})

test('only users on the list create, move and delete a protected tag, with git and by API', async () => {
  const repo = await repository()
  const rule = (name_pattern: string, name: string) =>
    repo.ask(ada, CREATE, { body: { name_pattern, whitelist_usernames: [name] } })
  await rule('v*', 'bob')
  await rule('/^V?[0-9]+$/', 'bob')
  const said = (tag: string) => `Tag ${tag} is protected`
  assert.equal(await repo.push(ada, 'HEAD:refs/tags/v1'), said('v1'))
  assert.equal(await repo.push(ada, 'HEAD:refs/tags/12'), said('12'))
  assert.equal(await repo.push(ada, 'HEAD:refs/tags/V1'), said('V1'))
  assert.equal(await repo.push(ada, 'HEAD:refs/tags/1.2', 'HEAD:refs/tags/xv'), '')
  assert.equal(await repo.push(bob, 'HEAD:refs/tags/v1'), '')
  await repo.commit({ a: 'a' })
  assert.equal(await repo.push(ada, '-f', 'HEAD:refs/tags/v1'), said('v1'))
  assert.equal(await repo.push(ada, ':refs/tags/v1'), said('v1'))
  const create = (as: typeof ada, tag_name: string) =>
    repo.ask(as, 'POST /api/v1/repos/{owner}/{repo}/tags', { body: { tag_name, target: 'main' } })
  const refused = await create(ada, 'v2')
  assert.deepEqual([refused.status, refused.body.message], [403, said('v2')])
  assert.equal((await create(bob, 'v2')).status, 201)
  assert.equal(
    (await repo.ask(ada, 'DELETE /api/v1/repos/{owner}/{repo}/tags/{tag...}', { params: { tag: 'v2' } }))
      .status,
    403,
  )
  // One of the rules that match lists ada.
  await rule('v2', 'ada')
  assert.equal(
    (await repo.ask(ada, 'DELETE /api/v1/repos/{owner}/{repo}/tags/{tag...}', { params: { tag: 'v2' } }))
      .status,
    204,
  )
})

test('lists of rules of tags have teams', async () => {
  const crew = await make.organization(ada, { name: 'crew' })
  await make.team(crew, [bob], { name: 'writers', permission: 'write', includes_all_repositories: true })
  const params = { owner: 'crew', repo: 'tool' }
  const body = { name: 'tool', auto_init: true }
  await call('POST /api/v1/orgs/{org}/repos', { as: ada, params: { org: 'crew' }, body })
  const created = await call('POST /api/v1/repos/{owner}/{repo}/tag_protections', {
    as: ada,
    params,
    body: { name_pattern: '*', whitelist_teams: ['writers'] },
  })
  assert.deepEqual([created.status, created.body.whitelist_teams], [201, ['writers']])
  const tag = (as: typeof ada, tag_name: string) =>
    call('POST /api/v1/repos/{owner}/{repo}/tags', { as, params, body: { tag_name } })
  assert.equal((await tag(ada, 'a')).status, 403)
  assert.equal((await tag(bob, 'b')).status, 201)
})
