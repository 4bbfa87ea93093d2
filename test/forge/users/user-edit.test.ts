import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOT_ID, BOT_NAME } from '../../../src/actions/run/bot.ts'
import { startApp } from '../../support/app.ts'
import { basic, bearer, samePassword } from '../../support/forge/make.ts'

const app = await startApp()
const { call, pool, make } = app
const boss = await make.admin({ name: 'boss' })

const literal = 'PATCH /api/v1/admin/users/{username}'
const edit = (username: string, body: unknown, as: { authorization: string } = boss) =>
  call(literal, { as, params: { username }, body })
const signIn = async (name: string, password = samePassword) =>
  (await call('GET /api/v1/user', { as: basic(name, password) })).status
const stored = async (id: number) => (await pool`select * from forge.account where id = ${id}`)[0]
const addresses = async (id: number) =>
  (await pool`select address from forge.email_address where account_id = ${id} order by id`).map(
    ({ address }) => address,
  )

test(`${literal} changes every option and shows the user`, async () => {
  const ada = await make.person({ name: 'ada' })
  const { status, body } = await edit('ADA', {
    source_id: 0,
    login_name: 'cn=ada',
    email: 'countess@example.org',
    full_name: 'Ada Lovelace',
    password: 'another long one',
    must_change_password: false,
    website: 'https://ada.example.org/',
    location: 'London',
    description: 'Analyst',
    active: true,
    admin: true,
    allow_git_hook: true,
    allow_import_local: true,
    max_repo_creation: 7,
    prohibit_login: false,
    allow_create_organization: false,
    restricted: true,
    visibility: 'private',
    type: 'User',
  })
  assert.equal(status, 200)
  const { login_name, email, full_name, website, location, description, is_admin, restricted, visibility } =
    body
  assert.deepEqual(
    { login_name, email, full_name, website, location, description, is_admin, restricted, visibility },
    {
      login_name: 'cn=ada',
      email: 'countess@example.org',
      full_name: 'Ada Lovelace',
      website: 'https://ada.example.org/',
      location: 'London',
      description: 'Analyst',
      is_admin: true,
      restricted: true,
      visibility: 'private',
    },
  )
  const row = await stored(ada.id)
  assert.deepEqual(
    [row?.allow_git_hook, row?.allow_import_local, row?.max_repo_creation, row?.allow_create_organization],
    [true, true, 7, false],
  )
  assert.deepEqual(await addresses(ada.id), ['countess@example.org'])
  assert.equal(await signIn('ada', 'another long one'), 200)
  assert.equal(await signIn('ada'), 401)
  assert.equal((await call('GET /api/v1/user', { as: ada })).status, 200, 'tokens stay')
})

test(`${literal} leaves absent members unchanged, and an empty edit changes nothing`, async () => {
  const bob = await make.person({ name: 'bob', full_name: 'Bob', location: 'Here', login_name: 'cn=bob' })
  const before = await stored(bob.id)
  app.clock.tick(5000)
  for (const body of [
    {},
    { visibility: '', password: '', type: '', full_name: null },
    { restricted: false },
  ]) {
    assert.equal((await edit('bob', body)).status, 200)
    assert.deepEqual(await stored(bob.id), before)
  }
  assert.equal((await pool`select id from forge.audit where target_id = ${bob.id}`).length, 0)
  const { body } = await edit('bob', { restricted: true })
  assert.deepEqual(
    [body.restricted, body.full_name, body.location, body.login_name],
    [true, 'Bob', 'Here', 'cn=bob'],
  )
  assert.equal(await signIn('bob'), 200)
})

test(`${literal} clears texts with ""`, async () => {
  await make.person({ name: 'carol', full_name: 'Carol', location: 'Here', website: 'https://c.example' })
  const { body } = await edit('carol', { full_name: '', location: '', website: '', login_name: '' })
  assert.deepEqual([body.full_name, body.location, body.website], ['', '', ''])
})

test(`${literal} reads forms, and a request without a type as an empty one`, async () => {
  await make.person({ name: 'dora' })
  const { body } = await call(literal, {
    as: boss,
    params: { username: 'dora' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'full_name=Dora+D.&restricted=true',
  })
  assert.deepEqual([body.full_name, body.restricted], ['Dora D.', true])
  const { status } = await call(literal, { as: boss, params: { username: 'dora' } })
  assert.equal(status, 200)
})

test(`${literal} adds what was changed to the audit trail, but no password`, async () => {
  const eve = await make.person({ name: 'eve' })
  await edit('eve', { full_name: 'Eve', password: 'a new long password', email: 'eve@example.org' })
  const [row] = await pool`select action, details from forge.audit where target_id = ${eve.id}`
  assert.equal(row?.action, 'user.edited')
  assert.deepEqual(row?.details, { full_name: 'Eve', email: 'eve@example.org', password: 'changed' })
})

test(`${literal} takes effect at once: prohibited, inactive, must change password`, async () => {
  await make.person({ name: 'fred' })
  assert.equal(await signIn('fred'), 200)
  for (const [off, on] of [
    [{ prohibit_login: true }, { prohibit_login: false }],
    [{ active: false }, { active: true }],
    [{ must_change_password: true }, { must_change_password: false }],
    [{ password: 'quite another one' }, { password: samePassword }],
  ]) {
    await edit('fred', off)
    assert.ok([401, 403].includes(await signIn('fred')), JSON.stringify(off))
    await edit('fred', on)
    assert.equal(await signIn('fred'), 200)
  }
})

test(`${literal} refuses a wrong address with 400, and one in other use with 409; nothing is changed`, async () => {
  const gil = await make.person({ name: 'gil' })
  const second = 'gil.second@example.org'
  await pool`insert into forge.email_address (account_id, address, key, is_primary, is_activated, created_at)
    values (${gil.id}, ${second}, ${second}, false, false, now())`
  for (const [email, status, message] of [
    ['', 400, 'email address is invalid: '],
    ['gil', 400, 'email address is invalid: gil'],
    ['g@x.org\r\nBcc: y@x.org', 400, 'email address is invalid: g@x.org\r\nBcc: y@x.org'],
    [boss.email.toUpperCase(), 409, `e-mail already in use [email: ${boss.email.toUpperCase()}]`],
    [second, 409, `e-mail already in use [email: ${second}]`],
  ] as const) {
    const answer = await edit('gil', { email, full_name: 'Changed', password: 'a new long password' })
    assert.equal(answer.status, status)
    assert.equal(answer.body.message, message)
  }
  assert.deepEqual(await addresses(gil.id), [gil.email, second])
  assert.equal((await stored(gil.id))?.full_name, '')
  assert.equal(await signIn('gil'), 200)
  assert.equal(
    (await edit('gil', { email: gil.email.toUpperCase() })).body.email,
    gil.email,
    'the same address',
  )
})

test(`${literal} refuses weak passwords with 400`, async () => {
  await make.person({ name: 'hal' })
  const { status, body } = await edit('hal', { password: 'seven77' })
  assert.equal(status, 400)
  assert.equal(body.message, 'password must be at least 8 characters')
})

test(`${literal} does not change the password of an account whose directory has it`, async () => {
  await make.person({ name: 'ida', source_id: 3 })
  assert.equal((await edit('ida', { password: 'short' })).status, 200)
  assert.equal((await edit('ida', { password: 'a new long password' })).status, 200)
  assert.equal(await signIn('ida'), 200)
})

test(`${literal} refuses with 422 what is out of bounds`, async () => {
  const jon = await make.person({ name: 'jon' })
  for (const [more, message] of [
    [{ full_name: 'ä'.repeat(101) }, '[FullName]: MaxSize'],
    [{ website: 'javascript:alert(1)' }, '[Website]: Url'],
    [{ website: `https://x.org/${'a'.repeat(255)}` }, '[Website]: MaxSize'],
    [{ location: 'x'.repeat(51) }, '[Location]: MaxSize'],
    [{ description: 'x'.repeat(256) }, '[Description]: MaxSize'],
    [{ email: `a@${'b'.repeat(250)}.com` }, '[Email]: MaxSize'],
    [{ source_id: 1.5 }, '[]: cannot read source_id: expected integer'],
    [{ password: 'x'.repeat(256) }, '[Password]: MaxSize'],
    [{ login_name: 'x'.repeat(256) }, '[LoginName]: MaxSize'],
    [{ visibility: 'Public' }, '[Visibility]: In'],
    [{ max_repo_creation: 2 ** 31 }, '[MaxRepoCreation]: Range'],
    [{ source_id: 9 }, 'login source does not exist [id: 9]'],
    [{ active: 'no' }, /^\[\]: /],
    [{ admin: 1 }, /^\[\]: /],
    [{ full_name: ['x'] }, /^\[\]: /],
    [{ max_repo_creation: '7' }, /^\[\]: /],
    [{ max_repo_creation: 1e300 }, /^\[\]: /],
    [[], /^\[\]: /],
  ] as const) {
    const { status, body } = await edit('jon', more)
    assert.equal(status, 422, JSON.stringify(more))
    if (typeof message === 'string') assert.equal(body.message, message)
    else assert.match(body.message, message)
  }
  const empty = await call(literal, {
    as: boss,
    params: { username: 'jon' },
    headers: { 'content-type': 'application/json' },
    body: '',
  })
  assert.equal(empty.status, 422)
  await edit('jon', { max_repo_creation: -7 })
  assert.equal((await stored(jon.id))?.max_repo_creation, -1)
})

test(`${literal} makes a person a bot and a bot a person, whose password works again`, async () => {
  const kim = await make.person({ name: 'kim' })
  const { status, body } = await edit('kim', { type: 'Bot' })
  assert.deepEqual([status, body.type], [200, 'Bot'])
  assert.equal(await signIn('kim'), 401)
  const listed = async () => {
    const { body } = await call('GET /api/v1/admin/users', { as: boss, query: { q: 'kim' } })
    return body.map(({ login }: { login: string }) => login)
  }
  assert.deepEqual(await listed(), [])
  for (const [more, message] of [
    [{ password: 'a new long password' }, 'a bot has neither a password nor a login source'],
    [{ source_id: 1 }, 'a bot has neither a password nor a login source'],
    [{ type: 'Organization' }, 'invalid user type "Organization" (expected User, Bot)'],
    [{ type: 'bot' }, 'invalid user type "bot" (expected User, Bot)'],
  ] as const) {
    const refused = await edit('kim', { ...more, full_name: 'Changed' })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.message, message)
  }
  assert.equal((await edit('kim', { type: 'Bot', full_name: 'Robot Kim' })).body.full_name, 'Robot Kim')
  assert.equal((await edit('kim', { type: 'User' })).body.type, 'User')
  assert.deepEqual(await listed(), ['kim'])
  assert.equal(await signIn('kim'), 200)
  assert.equal((await edit('kim', { type: 'Bot', password: 'a new long password' })).status, 400)
  assert.equal((await stored(kim.id))?.kind, 'person')
})

test(`${literal} edits an organization too, but what only users have is refused`, async () => {
  const guild = await make.organization(boss, { name: 'guild' })
  const { status, body } = await edit('guild', {
    full_name: 'The Guild',
    type: 'Organization',
    visibility: 'limited',
  })
  assert.deepEqual(
    [status, body.type, body.full_name, body.visibility],
    [200, 'Organization', 'The Guild', 'limited'],
  )
  assert.equal((await edit('guild', { type: 'Organization' })).status, 200)
  assert.equal((await edit('guild', { type: 'User' })).status, 400)
  for (const more of [{ admin: true }, { email: 'guild@example.org' }, { password: 'a new long password' }]) {
    const refused = await edit('guild', more)
    assert.equal(refused.status, 422)
    assert.equal(refused.body.message, 'target is an organization but not user')
  }
  const [row] = await pool`select action from forge.audit where target_id = ${guild.id} order by id desc`
  assert.equal(row?.action, 'organization.edited')
})

test(`${literal} leaves alone whom Actions acts as`, async () => {
  const before = await stored(BOT_ID)
  for (const more of [
    { full_name: 'x' },
    { type: 'User', password: 'a long password' },
    { active: false },
    {},
  ]) {
    const { status, body } = await edit(BOT_NAME, more)
    assert.equal(status, 422)
    assert.equal(body.message, `${BOT_NAME} is whom Actions acts as: it stays as it is`)
  }
  assert.deepEqual(await stored(BOT_ID), before)
})

test('the account of Actions can own nothing', async () => {
  const params = { username: BOT_NAME }
  const answers = [
    await call('POST /api/v1/admin/users/{username}/orgs', {
      as: boss,
      params,
      body: { username: 'of-bot' },
    }),
    await call('POST /api/v1/admin/users/{username}/repos', { as: boss, params, body: { name: 'of-bot' } }),
    await call('POST /api/v1/admin/users/{username}/keys', {
      as: boss,
      params,
      body: { title: 'of-bot', key: 'ssh-ed25519 AAAA' },
    }),
  ]
  for (const { status, body } of answers) {
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /is whom Actions acts as: it stays as it is/)
  }
})

test(`${literal} keeps the last administrator, and says so with 400`, async () => {
  const last = { message: `can not delete the last admin user [uid: ${boss.id}]` }
  await pool`update forge.account set is_admin = false where id <> ${boss.id}`
  await make.admin({ name: 'away' })
  await pool`update forge.account set is_active = false where name = 'away'`
  await make.admin({ name: 'banned' })
  await pool`update forge.account set prohibit_login = true where name = 'banned'`
  await make.admin({ name: 'fresh' })
  await pool`update forge.account set must_change_password = true where name = 'fresh'`
  for (const more of [
    { admin: false },
    { active: false },
    { prohibit_login: true },
    { must_change_password: true },
    { type: 'Bot' },
  ]) {
    const { status, body } = await edit('boss', { ...more, full_name: 'Changed' })
    assert.equal(status, 400, 'who may not sign in does not count')
    assert.equal(body.message, last.message)
  }
  assert.equal((await stored(boss.id))?.full_name, '')
  assert.equal((await edit('boss', { admin: true, active: true, prohibit_login: false })).status, 200)
  const second = await make.admin({ name: 'second' })
  assert.equal((await edit('boss', { admin: false })).status, 200, 'oneself, while there is another')
  assert.equal((await edit('boss', { admin: true }, second)).status, 200)
})

test(`${literal}: two administrators demoted at once are not both`, async () => {
  for (let round = 0; round < 6; round++) {
    await pool`update forge.account set is_admin = (name = 'boss')`
    const other = await make.admin({ name: `rival${round}` })
    const demotion = round % 2 ? { admin: false } : { active: false }
    const answers = await Promise.all([edit('boss', demotion), edit(other.name, demotion, other)])
    const statuses = answers.map(({ status }) => status).sort()
    // The loser may find itself demoted before it is heard.
    assert.ok(statuses[0] === 200 && [400, 403].includes(statuses[1] ?? 0), String(statuses))
    const left = await pool`select id from forge.account where is_admin and is_active`
    assert.equal(left.length, 1)
    await pool`update forge.account set is_admin = true, is_active = true where name = 'boss'`
    await pool`update forge.account set is_admin = false where id = ${other.id}`
  }
})

test(`${literal}: of two who want one address one gets it`, async () => {
  const [one, two] = [await make.person({ name: 'want1' }), await make.person({ name: 'want2' })]
  const email = 'wanted@example.org'
  const answers = await Promise.all([edit(one.name, { email }), edit(two.name, { email })])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  const rows = await pool`select id from forge.account where email = ${email}`
  assert.equal(rows.length, 1)
})

test(`${literal} of an unknown user is 404 before the body is read; only administrators may use it`, async () => {
  const mia = await make.person({ name: 'mia' })
  const { status, body } = await edit('Nobody', 7)
  assert.equal(status, 404)
  assert.equal(body.message, 'user redirect does not exist [name: nobody]')
  assert.equal((await edit('mia', { admin: true }, mia)).status, 403)
  assert.equal((await edit('nobody', {}, mia)).status, 403)
  assert.equal((await edit('mia', {}, bearer(await make.token(boss, 'read:admin')))).status, 403)
  assert.equal((await call(literal, { params: { username: 'mia' }, body: {} })).status, 401)
  assert.equal((await stored(mia.id))?.is_admin, false)
})
