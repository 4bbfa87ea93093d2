import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountByName, renameAccount, updateAccount } from '../../src/forge/account.ts'
import { startApp } from '../support/app.ts'
import { bearer, makersFor } from '../support/make.ts'
import { holdRefusal } from '../support/refusals.ts'

const app = await startApp()
const { call, pool } = app
const { begin, ...make } = makersFor(app)

const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'Ada' })
const bob = await make.person({ name: 'bob' })

const whole = {
  username: 'Engines',
  full_name: 'Analytical <Engines>',
  email: 'hello@engines.example',
  description: 'Wheels\nand cards',
  website: 'https://engines.example/',
  location: 'London',
  visibility: 'limited',
  repo_admin_change_team_access: true,
}

/** The newest rows of the trail. */
const trail = async (count: number) => {
  const rows = await pool<{ action: string; target_name: string; actor_name: string; details: unknown }[]>`
    select action, target_name, actor_name, details
    from forge.audit
    order by id desc
    limit ${count}`
  return rows.reverse().map((row) => ({ ...row }))
}

const create = (body: unknown, as = ada) => call('POST /api/v1/orgs', { body, as })
const edit = (org: string, body: unknown, as = ada) =>
  call('PATCH /api/v1/orgs/{org}', { params: { org }, body, as })
const rename = (org: string, new_name: unknown, as = ada) =>
  call('POST /api/v1/orgs/{org}/rename', { params: { org }, body: { new_name }, as })
const remove = (org: string, as = ada) => call('DELETE /api/v1/orgs/{org}', { params: { org }, as })
const show = (org: string, as?: { authorization: string }) =>
  call('GET /api/v1/orgs/{org}', { params: { org }, ...(as && { as }) })

test('POST /orgs creates an organization with all that was said, and its creator owns it', async () => {
  const { status, body } = await create(whole)
  assert.equal(status, 201)
  const { id, avatar_url, name, ...rest } = body
  assert.match(avatar_url, /^https:\/\/forgehall\.example\/avatars\/[0-9a-f]{32}$/)
  assert.deepEqual([name, rest], ['Engines', whole])
  assert.deepEqual((await show('engines', ada)).body, body)
  const owners = await pool`
    select team.name, permission, team.visibility, includes_all_repositories, can_create_repositories, units,
      team_member.account_id, is_public
    from forge.team
    join forge.team_member on team_member.team_id = team.id
    join forge.membership on membership.organization_id = team.organization_id
      and membership.account_id = team_member.account_id
    where team.organization_id = ${id}`
  assert.deepEqual(
    owners.map(({ units, ...row }) => ({ ...row, code: units['repo.code'], wiki: units['repo.ext_wiki'] })),
    [
      {
        name: 'Owners',
        permission: 'owner',
        visibility: 'limited',
        includes_all_repositories: true,
        can_create_repositories: true,
        account_id: ada.id,
        is_public: false,
        code: 'owner',
        wiki: 'read',
      },
    ],
  )
  assert.deepEqual(await trail(1), [
    {
      action: 'organization.created',
      target_name: 'Engines',
      actor_name: 'Ada',
      details: { owner: 'Ada', visibility: 'limited' },
    },
  ])
})

test('POST /orgs has defaults, takes forms, null for not given and unknown members', async () => {
  const bare = (await create({ username: 'bare', email: null, visibility: '', surprise: 1 })).body
  assert.deepEqual(
    [bare.full_name, bare.email, bare.description, bare.website, bare.location, bare.visibility],
    ['', '', '', '', '', 'public'],
  )
  assert.equal(bare.repo_admin_change_team_access, false)
  const form = await call('POST /api/v1/orgs', {
    as: ada,
    body: 'user_name=formed&full_name=A+Form&repo_admin_change_team_access=on&username=no',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual(
    [form.status, form.body.name, form.body.full_name, form.body.repo_admin_change_team_access],
    [201, 'formed', 'A Form', true],
  )
})

test('POST /orgs does not check the address of a new organization, beyond its being one line', async () => {
  assert.equal((await create({ username: 'odd-mail', email: 'no address' })).body.email, 'no address')
  holdRefusal(await create({ username: 'two', email: 'a@b.example\r\nbcc: x' }), 422, '[Email]: Email')
})

test('POST /orgs is for whoever is signed in, has the scope and the right, in that order', async () => {
  holdRefusal(await call('POST /api/v1/orgs', { body: [] }), 401, 'token is required')
  const token = bearer(await make.token(ada, 'read:organization', 'write:user'))
  holdRefusal(
    await call('POST /api/v1/orgs', { body: [], as: token }),
    403,
    'token does not have at least one of required scope(s), required=[write:organization], token scope=read:organization,write:user',
  )
  const small = await make.person()
  await begin((tx) => updateAccount(tx, small.id, { allow_create_organization: false }))
  holdRefusal(await create({}, small), 422, '[UserName]: Required')
  holdRefusal(await create({ username: 'small-org' }, small), 403, 'not allowed to create org')
  assert.equal(await accountByName(pool, 'small-org'), undefined)
  await begin((tx) => updateAccount(tx, small.id, { is_admin: true }))
  assert.equal((await create({ username: 'small-org' }, small)).status, 201)
})

test('POST /orgs tells the first of all that is wrong with a body', async () => {
  const long = (count: number) => 'é'.repeat(count)
  for (const [body, message] of [
    [{}, '[UserName]: Required'],
    [{ username: '', visibility: 'x' }, '[UserName]: Required'],
    [{ username: 'a'.repeat(41) }, '[UserName]: MaxSize'],
    [{ username: 'x', full_name: long(101) }, '[FullName]: MaxSize'],
    [{ username: 'x', email: long(256) }, '[Email]: MaxSize'],
    [{ username: 'x', description: long(256) }, '[Description]: MaxSize'],
    [{ username: 'x', website: 'ftp://x.example' }, '[Website]: Url'],
    [{ username: 'x', website: 'javascript:alert(1)' }, '[Website]: Url'],
    [{ username: 'x', website: `https://x.example/${long(255)}` }, '[Website]: MaxSize'],
    [{ username: 'x', location: long(51) }, '[Location]: MaxSize'],
    [{ username: 'x', visibility: 'secret' }, '[Visibility]: In'],
    [{ username: 'x', visibility: 'Public' }, '[Visibility]: In'],
  ] as const) {
    holdRefusal(await create(body), 422, message)
  }
  for (const name of ['a b', '-a', 'a-', 'a..b', 'a._b', 'a/b', 'a\r\nb', 'ä', '%', "a'b"]) {
    holdRefusal(await create({ username: name }), 422, '[UserName]: invalid username')
  }
  for (const name of ['api', 'User', 'notifications', 'ghost']) {
    holdRefusal(await create({ username: name }), 422, `name is reserved [name: ${name.toLowerCase()}]`)
  }
  for (const [name, pattern] of [
    ['my.keys', '*.keys'],
    ['pic.PNG', '*.png'],
  ] as const) {
    holdRefusal(await create({ username: name }), 422, `name pattern is not allowed [pattern: ${pattern}]`)
  }
  assert.equal(await accountByName(pool, 'x'), undefined)
})

test('POST /orgs refuses what is no object of the right types with a 422', async () => {
  for (const body of [
    '[]',
    '"x"',
    '',
    '{',
    '{"username":1}',
    '{"username":["x"]}',
    '{"username":{"a":1}}',
    '{"username":"x","repo_admin_change_team_access":"true"}',
    '{"username":"x","username":"y"}',
    '{"username":"x","description":"a\\u0000b"}',
    '{"username":"x","description":"\\ud800"}',
    '{"username":"x"} {}',
  ]) {
    const { status, body: refusal } = await call('POST /api/v1/orgs', { body, as: ada })
    assert.equal(status, 422, body)
    assert.match(refusal.message, /^\[\]: ./, body)
  }
  assert.equal(await accountByName(pool, 'x'), undefined)
})

test('POST /orgs refuses a name that a user, a bot or an organization has, in any case', async () => {
  await make.bot({ name: 'robot' })
  for (const name of ['ADA', 'Robot', 'engines']) {
    holdRefusal(await create({ username: name }), 422, `user already exists [name: ${name}]`)
  }
})

test('GET /orgs/{org} blanks the address for who is not signed in', async () => {
  const { id } = (await create({ ...whole, username: 'open', visibility: 'public' })).body
  const anonymous = await show('OPEN')
  assert.deepEqual([anonymous.status, anonymous.body.id, anonymous.body.email], [200, id, ''])
  assert.equal((await show('open', bob)).body.email, whole.email)
})

test('GET /orgs/{org} shows what the caller may see, and 404 for all else', async () => {
  await create({ username: 'closed', visibility: 'private' })
  const limited = 'engines'
  const restricted = await make.person({ is_restricted: true })
  for (const [org, as, status] of [
    ['open', restricted, 200],
    [limited, undefined, 404],
    [limited, bob, 200],
    [limited, restricted, 404],
    [limited, boss, 200],
    ['closed', undefined, 404],
    ['closed', bob, 404],
    ['closed', ada, 200],
    ['closed', boss, 200],
    ['ada', ada, 404],
    ['nobody-has-this', boss, 404],
    ['a/b', boss, 404],
    ["'; drop table forge.account; --", boss, 404],
    ['x'.repeat(3000), boss, 404],
  ] as const) {
    const answered = await show(org, as)
    assert.equal(answered.status, status, `${org} ${as?.name}`)
    if (status === 404) holdRefusal(answered, 404, 'not found')
  }
})

test('GET /orgs/{org} refuses tokens without the scope, and limited ones where it is not public', async () => {
  const token = bearer(await make.token(ada, 'read:user'))
  assert.equal((await show('open', token)).status, 403)
  const limited = bearer(await make.token(ada, 'public-only', 'read:organization'))
  assert.equal((await show('open', limited)).status, 200)
  holdRefusal(await show('closed', limited), 403, 'token scope is limited to public orgs')
  assert.equal((await show('open', bearer('0'.repeat(40)))).status, 401)
})

test('PATCH /orgs/{org} changes what is given and leaves the rest', async () => {
  const before = (await create({ ...whole, username: 'edited' })).body
  const changed = { description: '', visibility: 'private', email: 'new@engines.example' }
  const { status, body } = await edit('EDITED', changed)
  assert.deepEqual([status, body], [200, { ...before, ...changed }])
  const [last] = await trail(1)
  assert.deepEqual(last, {
    action: 'organization.edited',
    target_name: 'edited',
    actor_name: 'Ada',
    details: changed,
  })
  for (const nothing of [
    {},
    { email: null, visibility: null },
    { visibility: '' },
    { username: 'renamed' },
  ]) {
    assert.deepEqual((await edit('edited', nothing)).body, body, JSON.stringify(nothing))
  }
  assert.deepEqual(await trail(1), [last])
  assert.equal((await edit('edited', { email: '' })).body.email, '')
  assert.equal(
    (await edit('edited', { repo_admin_change_team_access: false })).body.repo_admin_change_team_access,
    false,
  )
})

test('PATCH /orgs/{org} checks the address, and all that a creation checks', async () => {
  await create({ ...whole, username: 'checked' })
  for (const [body, message] of [
    [{ email: 'no address' }, 'e-mail address contains unsupported character [email: no address]'],
    [{ email: 'a@b' }, 'e-mail invalid [email: a@b]'],
    [{ email: 'a@b.example\r\n' }, 'e-mail address contains unsupported character [email: a@b.example\r\n]'],
    [{ visibility: 'hidden' }, '[Visibility]: In'],
    [{ full_name: 'x'.repeat(101), visibility: 'hidden' }, '[FullName]: MaxSize'],
    [{ website: 'engines.example' }, '[Website]: Url'],
    [{ location: 'x'.repeat(51) }, '[Location]: MaxSize'],
  ] as const) {
    holdRefusal(await edit('checked', { description: 'changed', ...body }), 422, message)
  }
  for (const body of ['[]', '', '{"full_name":1}', '{"repo_admin_change_team_access":"x"}']) {
    assert.equal((await edit('checked', body)).status, 422, body)
  }
  assert.equal((await show('checked', ada)).body.description, whole.description)
})

test('PATCH, rename and DELETE are for owners and administrators; others are refused even where they cannot see it', async () => {
  await create({ username: 'guarded', visibility: 'private' })
  const guarded = await accountByName(pool, 'guarded')
  assert.ok(guarded)
  const member = await make.person()
  await make.team(guarded, [member], { permission: 'admin' })
  for (const work of [
    (org: string, as?: typeof ada) =>
      call('PATCH /api/v1/orgs/{org}', { params: { org }, body: '[', ...(as && { as }) }),
    (org: string, as?: typeof ada) =>
      call('POST /api/v1/orgs/{org}/rename', { params: { org }, body: '[', ...(as && { as }) }),
    (org: string, as?: typeof ada) =>
      call('DELETE /api/v1/orgs/{org}', { params: { org }, ...(as && { as }) }),
  ]) {
    holdRefusal(await work('guarded'), 401, 'token is required')
    holdRefusal(await work('guarded', bob), 403, 'Must be an organization owner')
    holdRefusal(await work('guarded', member), 403, 'Must be an organization owner')
    holdRefusal(await work('not-there'), 404, 'not found')
    holdRefusal(await work('bob', bob), 404, 'not found')
    assert.equal((await call('GET /api/v1/orgs/{org}', { params: { org: 'guarded' }, as: boss })).status, 200)
  }
  const reader = { ...ada, ...bearer(await make.token(ada, 'read:organization')) }
  const limited = { ...ada, ...bearer(await make.token(ada, 'public-only', 'all')) }
  for (const token of [reader, limited]) assert.equal((await remove('guarded', token)).status, 403)
  assert.equal((await edit('guarded', { location: 'here' }, boss)).status, 200)
  assert.equal((await rename('guarded', 'Guarded', boss)).status, 204)
  assert.equal((await remove('guarded', boss)).status, 204)
})

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
    ['a b', 'name is invalid [a b]: must be valid alpha or numeric or dash(-_) or dot characters'],
    ['a\n', 'name is invalid [a\n]: must be valid alpha or numeric or dash(-_) or dot characters'],
    ['x'.repeat(256), '[NewName]: MaxSize'],
  ] as const) {
    holdRefusal(await rename('stays', name), 422, message)
  }
  assert.equal((await show('stays')).status, 200)
  const long = 'x'.repeat(255)
  assert.equal((await rename('stays', long)).status, 204)
  assert.equal((await show(long)).body.name, long)
})

test('DELETE /orgs/{org} removes teams, memberships and redirects with it, and frees the name', async () => {
  const { id } = (await create({ username: 'gone' })).body
  await make.team({ id }, [bob])
  assert.equal((await rename('gone', 'gone-for-good')).status, 204)
  assert.equal((await remove('Gone-For-Good')).status, 204)
  holdRefusal(await show('gone-for-good', boss), 404, 'not found')
  holdRefusal(await show('gone', boss), 404, 'not found')
  holdRefusal(await remove('gone-for-good'), 404, 'not found')
  for (const table of ['team', 'membership', 'team_member'] as const) {
    const rows = await pool`select from forge.${pool(table)} where organization_id = ${id}`
    assert.equal(rows.length, 0, table)
  }
  assert.equal((await trail(1))[0]?.action, 'organization.deleted')
  assert.equal((await create({ username: 'gone' }, bob)).status, 201)
})

test('PATCH and others about an organization that goes at the same moment are a 404', async () => {
  for (let round = 0; round < 5; round++) {
    await create({ username: 'fleeting' })
    const statuses = await Promise.all([
      remove('fleeting'),
      edit('fleeting', { location: 'here' }),
      remove('fleeting', boss),
      rename('fleeting', 'Fleeting', boss),
    ])
    const [first, edited, second, renamed] = statuses.map(({ status }) => status)
    assert.deepEqual([first, second].sort(), [204, 404])
    assert.ok(edited === 200 || edited === 404, String(edited))
    assert.ok(renamed === 204 || renamed === 404, String(renamed))
  }
})

test('POST /admin/users/{username}/orgs makes the user the owner, and leaves two members out', async () => {
  const { status, body } = await call('POST /api/v1/admin/users/{username}/orgs', {
    params: { username: 'BOB' },
    body: { ...whole, username: 'bobs', visibility: 'private' },
    as: boss,
  })
  assert.deepEqual(
    [status, body.name, body.visibility, body.full_name, body.email, body.repo_admin_change_team_access],
    [201, 'bobs', 'private', whole.full_name, '', false],
  )
  assert.equal((await show('bobs', bob)).status, 200)
  const members = await pool`select account_id from forge.membership where organization_id = ${body.id}`
  assert.deepEqual(
    members.map((row) => row.account_id),
    [bob.id],
  )
  assert.deepEqual(
    (await trail(1)).map(({ actor_name, details }) => [actor_name, details]),
    [['boss', { owner: 'bob', visibility: 'private' }]],
  )
})

test('POST /admin/users/{username}/orgs refuses in the order of the real forge', async () => {
  const createFor = (username: string, body: unknown, as?: { authorization: string }) =>
    call('POST /api/v1/admin/users/{username}/orgs', { params: { username }, body, ...(as && { as }) })
  holdRefusal(await createFor('nobody', '['), 401, 'token is required')
  holdRefusal(await createFor('nobody', '[', ada), 403, 'user should be the site admin')
  const token = bearer(await make.token(boss, 'read:admin', 'write:organization'))
  assert.match((await createFor('nobody', '[', token)).body.message, /required=\[write:admin\]/)
  holdRefusal(await createFor('nobody', '[', boss), 404, 'user redirect does not exist [name: nobody]')
  assert.equal((await createFor('bob', '[', boss)).status, 422)
  holdRefusal(await createFor('bob', { username: 'ada' }, boss), 422, 'user already exists [name: ada]')
  holdRefusal(await createFor('bob', { username: 'org', visibility: 'x' }, boss), 422, '[Visibility]: In')
  holdRefusal(await createFor('bob', { username: 'org' }, boss), 422, 'name is reserved [name: org]')
  holdRefusal(
    await createFor('engines', { username: 'nested' }, boss),
    422,
    'an organization cannot own an organization',
  )
  await begin((tx) => updateAccount(tx, bob.id, { allow_create_organization: false }))
  holdRefusal(
    await createFor('bob', { username: 'nope' }, boss),
    403,
    'user is not allowed to create organizations',
  )
  await begin((tx) => updateAccount(tx, bob.id, { allow_create_organization: true }))
  assert.equal(await accountByName(pool, 'nope'), undefined)
})

test('POST /admin/users/{username}/orgs follows a user who was renamed', async () => {
  const user = await make.person({ name: 'was-here' })
  const account = await accountByName(pool, user.name)
  assert.ok(account)
  await begin((tx) => renameAccount(tx, account, 'is-there'))
  const { status, headers } = await call('POST /api/v1/admin/users/{username}/orgs', {
    params: { username: 'was-here' },
    body: { username: 'x' },
    as: boss,
  })
  assert.deepEqual([status, headers.get('location')], [307, '/api/v1/admin/users/is-there/orgs'])
})
