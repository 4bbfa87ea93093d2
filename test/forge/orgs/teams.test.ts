import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()

const boss = await make.admin({ name: 'boss' })
const [ada, bob, stranger] = await make.people('ada', 'bob', 'stranger')
const crew = await make.organization(ada, { name: 'Crew', visibility: 'private' })
const [owners] = await pool<[{ id: number }]>`select id from forge.team where organization_id = ${crew.id}`

const create = (body: unknown, as: As | undefined = ada, org = 'crew') =>
  call('POST /api/v1/orgs/{org}/teams', { params: { org }, body, ...(as && { as }) })
const list = (as?: As, org = 'crew', query = {}) =>
  call('GET /api/v1/orgs/{org}/teams', { params: { org }, query, ...(as && { as }) })
const search = (query: Record<string, string | number>, as: As = ada, org = 'crew') =>
  call('GET /api/v1/orgs/{org}/teams/search', { params: { org }, query, as })
const show = (id: number | string, as?: As) =>
  call('GET /api/v1/teams/{id}', { params: { id }, ...(as && { as }) })
const edit = (id: number, body: unknown, as: As = ada) =>
  call('PATCH /api/v1/teams/{id}', { params: { id }, body, as })
const remove = (id: number | string, as?: As) =>
  call('DELETE /api/v1/teams/{id}', { params: { id }, ...(as && { as }) })

const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name)
const newestDeed = async () => {
  const [row] = await pool`
    select action, target_kind, target_name, actor_name, details from forge.audit order by id desc limit 1`
  return { ...row }
}

test('POST /orgs/{org}/teams creates a team with all members of the body', async () => {
  const { status, body } = await create({
    name: 'Core.Team',
    description: 'the <core>',
    includes_all_repositories: true,
    permission: 'write',
    units: ['repo.wiki', 'repo.code'],
    can_create_org_repo: true,
    visibility: 'limited',
  })
  const { id, organization, ...rest } = body
  assert.equal(status, 201)
  assert.deepEqual(rest, {
    name: 'Core.Team',
    description: 'the <core>',
    includes_all_repositories: true,
    permission: 'write',
    units: ['repo.code', 'repo.wiki'],
    units_map: { 'repo.code': 'write', 'repo.wiki': 'write' },
    can_create_org_repo: true,
    visibility: 'limited',
  })
  assert.deepEqual([organization.id, organization.name], [crew.id, 'Crew'])
  assert.deepEqual((await show(id, ada)).body, body)
  assert.deepEqual(await newestDeed(), {
    action: 'team.created',
    target_kind: 'team',
    target_name: 'Core.Team',
    actor_name: 'ada',
    details: { organization: 'Crew', permission: 'write' },
  })
  assert.equal((await remove(id, ada)).status, 204)
})

test('POST /orgs/{org}/teams gives a team with nothing but a name no rights', async () => {
  const { body } = await create({ name: 'bare', units: null, units_map: null, permission: '' })
  assert.deepEqual(
    [body.permission, body.units, body.units_map, body.visibility, body.can_create_org_repo],
    ['none', [], {}, 'private', false],
  )
  const mapped = await create({ name: 'mapped', units_map: { 'repo.code': 'write', 'repo.issues': 'read' } })
  assert.deepEqual([mapped.body.permission, mapped.body.units], ['read', ['repo.code', 'repo.issues']])
  for (const { id } of [body, mapped.body]) assert.equal((await remove(id, boss)).status, 204)
})

test('POST /orgs/{org}/teams reports the first of several faults', async () => {
  const long = 'x'.repeat(256)
  for (const [body, message] of [
    [{}, '[Name]: Required'],
    [{ name: '' }, '[Name]: Required'],
    [{ name: 'a b' }, '[Name]: AlphaDashDot'],
    [{ name: 'a\r\n' }, '[Name]: AlphaDashDot'],
    [{ name: 'ä' }, '[Name]: AlphaDashDot'],
    [{ name: long }, '[Name]: MaxSize'],
    [{ name: 'x', description: long }, '[Description]: MaxSize'],
    [{ name: 'x', permission: 'owner' }, '[Permission]: In'],
    [{ name: 'x', permission: 'Read' }, '[Permission]: In'],
    [{ name: 'x', units: ['code'] }, '[Units]: In'],
    [{ name: 'x', units_map: { 'repo.code': 'all' } }, '[UnitsMap]: In'],
    [{ name: 'x', visibility: 'secret' }, '[Visibility]: In'],
    [{ name: 'New' }, 'name is reserved [name: new]'],
    [{ name: 'owners' }, `team already exists [org_id: ${crew.id}, name: owners]`],
  ] as const) {
    holdRefusal(await create(body), 422, message)
  }
  for (const body of [
    '[]',
    '',
    '{"name":1}',
    '{"name":"x","units":"repo.code"}',
    '{"name":"x","units_map":{"a":1}}',
  ]) {
    assert.equal((await create(body)).status, 422, body)
  }
  assert.deepEqual(names((await list(ada)).body), ['Owners'])
})

test('POST /orgs/{org}/teams is for owners and administrators', async () => {
  await make.team(crew, [bob], { name: 'admins', permission: 'admin' })
  holdRefusal(
    await call('POST /api/v1/orgs/{org}/teams', { params: { org: 'crew' }, body: '[' }),
    401,
    'token is required',
  )
  for (const as of [bob, stranger]) holdRefusal(await create('[', as), 403, 'Must be an organization owner')
  holdRefusal(await create({ name: 'x' }, ada, 'nothing'), 404, 'not found')
  assert.equal((await create({ name: 'x' }, bearer(await make.token(ada, 'read:organization')))).status, 403)
  assert.equal((await create({ name: 'by-boss' }, boss)).status, 201)
})

test('GET /orgs/{org}/teams shows owners all, members what is not private and what they are in', async () => {
  const org = await make.organization(ada, { name: 'listed' })
  await make.team(org, [], { name: 'b-public', visibility: 'public' })
  await make.team(org, [], { name: 'C-hidden' })
  await make.team(org, [bob], { name: 'a-own' })
  const all = ['a-own', 'b-public', 'C-hidden', 'Owners']
  assert.deepEqual(names((await list(ada, 'listed')).body), all)
  assert.deepEqual(names((await list(boss, 'listed')).body), all)
  const mine = await list(bob, 'listed')
  assert.deepEqual(
    [names(mine.body), mine.headers.get('x-total-count')],
    [['a-own', 'b-public', 'Owners'], '3'],
  )
  assert.equal(mine.body[0].organization.name, 'listed')
  const page = await list(boss, 'listed', { limit: 3, page: 2 })
  assert.deepEqual([names(page.body), page.headers.get('x-total-count')], [['Owners'], '4'])
  assert.match(page.headers.get('link') ?? '', /rel="first"/)
  assert.deepEqual((await list(boss, 'listed', { page: 99 })).body, [])
  holdRefusal(await list(stranger, 'listed'), 403, 'Must be an organization member')
  holdRefusal(await list(undefined, 'listed'), 401, 'token is required')
  assert.equal((await list(boss, 'nothing')).status, 404)
})

test('GET /orgs/{org}/teams/search finds a text in names, and in descriptions unless `include_desc` is false', async () => {
  const org = await make.organization(ada, { name: 'searched' })
  await make.team(org, [], { name: 'Rust_1', description: 'Ferris & 100%' })
  await make.team(org, [bob], { name: 'go-team', description: 'likes rust too' })
  const found = async (query: Record<string, string>, as = ada) => {
    const { status, body, headers } = await search(query, as, 'searched')
    assert.deepEqual([status, body.ok, headers.get('x-total-count')], [200, true, String(body.data.length)])
    return names(body.data)
  }
  assert.deepEqual(await found({}), ['go-team', 'Owners', 'Rust_1'])
  assert.deepEqual(await found({ q: ' RUST ' }), ['go-team', 'Rust_1'])
  assert.deepEqual(await found({ q: 'rust', include_desc: 'true' }), ['go-team', 'Rust_1'])
  assert.deepEqual(await found({ q: 'rust', include_desc: 'false' }), ['Rust_1'])
  assert.deepEqual(await found({ q: 'rust' }, bob), ['go-team'])
  for (const [q, expected] of [
    ['%', ['Rust_1']],
    ['_', ['Rust_1']],
    ['t_1', ['Rust_1']],
    ['t%1', []],
    ['\\', []],
    ["'; drop table forge.team; --", []],
    ['x'.repeat(5000), []],
  ] as const) {
    assert.deepEqual(await found({ q }), expected, q)
  }
  assert.deepEqual(await found({ q: 'a\0b' }), [])
  const page = await search({ limit: 1, page: 2, q: 'rust' }, ada, 'searched')
  assert.equal(
    page.headers.get('link'),
    '<https://forgehall.example/api/v1/orgs/searched/teams/search?limit=1&page=1&q=rust>; rel="first",' +
      '<https://forgehall.example/api/v1/orgs/searched/teams/search?limit=1&page=1&q=rust>; rel="prev"',
  )
  assert.equal((await search({}, stranger, 'searched')).status, 403)
})

test('GET /teams/{id} shows a team to who may see it', async () => {
  const hidden = await make.team(crew, [], { name: 'hidden' })
  const open = await make.team(crew, [], { name: 'open', visibility: 'limited' })
  holdRefusal(await show(open.id), 401, 'token is required')
  for (const [id, as, status] of [
    [hidden.id, stranger, 404],
    [open.id, stranger, 404],
    [hidden.id, bob, 403],
    [open.id, bob, 200],
    [hidden.id, ada, 200],
    [hidden.id, boss, 200],
    [999_999, boss, 404],
    [0, boss, 404],
    [-1, boss, 404],
    ['x', boss, 404],
    ['1e3', boss, 404],
    ['9'.repeat(30), boss, 404],
  ] as const) {
    assert.equal((await show(id, as)).status, status, `${id} ${as.name}`)
  }
  const limited = bearer(await make.token(ada, 'public-only', 'read:organization'))
  holdRefusal(await show(open.id, limited), 403, 'token scope is limited to public orgs')
  assert.equal((await show(open.id, bearer(await make.token(ada, 'read:user')))).status, 403)
})

test('PATCH /teams/{id} changes the members of the body and no others', async () => {
  const { body: team } = await create({ name: 'editable', permission: 'read', units: ['repo.code'] })
  for (const nothing of [{}, { name: '', description: null, visibility: '' }]) {
    assert.deepEqual((await edit(team.id, nothing)).body, team)
  }
  const changes = {
    name: 'Edited',
    description: 'changed',
    includes_all_repositories: true,
    can_create_org_repo: true,
    visibility: 'public',
  }
  assert.deepEqual((await edit(team.id, changes)).body, { ...team, ...changes })
  assert.deepEqual((await newestDeed()).details, { organization: 'Crew', ...changes })
  const { body: raised } = await edit(team.id, { permission: 'admin' }, boss)
  assert.deepEqual([raised.permission, raised.units.length], ['admin', 10])
  const { body: mapped } = await edit(team.id, { permission: 'read', units_map: { 'repo.pulls': 'write' } })
  assert.deepEqual([mapped.permission, mapped.units_map], ['write', { 'repo.pulls': 'write' }])
  assert.deepEqual((await show(team.id, boss)).body, mapped)
})

test('PATCH /teams/{id} checks what a creation checks', async () => {
  const { body: team } = await create({ name: 'checked' })
  for (const [body, message] of [
    [{ name: 'x y' }, '[Name]: AlphaDashDot'],
    [{ name: 'new' }, 'name is reserved [name: new]'],
    [{ name: 'OWNERS' }, `team already exists [org_id: ${crew.id}, name: OWNERS]`],
    [{ permission: 'owner' }, '[Permission]: In'],
    [{ units: ['x'] }, '[Units]: In'],
  ] as const) {
    holdRefusal(await edit(team.id, { description: 'changed', ...body }), 422, message)
  }
  assert.equal((await edit(team.id, [])).status, 422)
  assert.deepEqual((await show(team.id, ada)).body, team)
  holdRefusal(await edit(team.id, '[', bob), 403, 'Must be an organization owner')
  assert.equal((await edit(999_999, {}, boss)).status, 404)
})

test('PATCH /teams/{id}: the owners keep their name and rights', async () => {
  const { body: before } = await show(owners.id, ada)
  const sent = { ...before, permission: 'read', units: ['repo.code'], includes_all_repositories: false }
  const { body } = await edit(owners.id, { ...sent, description: 'we own', visibility: 'private' })
  assert.deepEqual(body, { ...before, description: 'we own', visibility: 'private' })
  holdRefusal(await edit(owners.id, { name: 'Bosses' }), 422, 'the team of owners keeps its name')
})

test('DELETE /teams/{id} ends the membership of who is in no other team', async () => {
  const org = await make.organization(ada, { name: 'shrinking' })
  const staying = await make.team(org, [bob])
  const going = await make.team(org, [bob, stranger])
  assert.equal((await remove(going.id, ada)).status, 204)
  const members =
    await pool`select account_id from forge.membership where organization_id = ${org.id} order by 1`
  assert.deepEqual(
    members.map((row) => row.account_id),
    [ada.id, bob.id],
  )
  assert.equal((await newestDeed()).action, 'team.deleted')
  assert.equal((await remove(going.id, ada)).status, 404)
  holdRefusal(await remove(staying.id), 401, 'token is required')
  holdRefusal(await remove(staying.id, bob), 403, 'Must be an organization owner')
  assert.equal((await remove('x', boss)).status, 404)
})

test('DELETE /teams/{id} refuses the team of the owners', async () => {
  for (const as of [ada, boss])
    holdRefusal(await remove(owners.id, as), 422, 'the team of owners cannot be deleted')
})
