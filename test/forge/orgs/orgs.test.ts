import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountByName, updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'
import { orgCalls, whole } from '../../support/forge/orgs.fixtures.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const app = await startApp()
const { call, pool } = app
const { begin, ...make } = app.make

const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('Ada', 'bob')
const { create, show, trail } = orgCalls(app, ada)

test('POST /orgs creates an organization with all members of the body, and its creator owns it', async () => {
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

test('POST /orgs has defaults, accepts forms, treats null as absent and ignores unknown members', async () => {
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
  for (const email of ['no address', 'a@b.example\r\nbcc: x'])
    assert.equal((await create({ username: 'odd-mail', email })).status, 422, email)
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

test('POST /orgs reports the first of several faults of a body', async () => {
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

test('an organization has one picture, also as the owner of a repository', async () => {
  const org = (await create({ username: 'pictured', email: 'a@pictured.example' })).body
  await make.repository(org, { name: 'frame' })
  const { body } = await call('GET /api/v1/orgs/{org}/repos', { params: { org: 'pictured' } })
  assert.equal(body[0].owner.avatar_url, org.avatar_url)
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
