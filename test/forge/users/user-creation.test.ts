import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { basic, bearer } from '../../support/forge/make.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })

const literal = 'POST /api/v1/admin/users'
const password = 'analytical engine'
const create = (body: unknown, as: { authorization: string } | undefined = boss) =>
  call(literal, { body, ...(as && { as }) })
const wish = (name: string, more: object = {}) => ({
  username: name,
  email: `${name}@example.org`,
  password,
  ...more,
})
const count = async () => (await pool`select count(*) as all from forge.account`)[0]?.all

test(`${literal} creates an active user without rights, with a verified address, who must change the password`, async () => {
  const { status, body } = await create(wish('Grace', { full_name: 'Grace Hopper' }))
  assert.equal(status, 201)
  const { id, avatar_url, ...rest } = body
  assert.ok(id > 0 && avatar_url.startsWith('https://forgehall.example/avatars/'))
  assert.deepEqual(rest, {
    login: 'Grace',
    type: 'User',
    login_name: '',
    source_id: 0,
    full_name: 'Grace Hopper',
    email: 'Grace@example.org',
    html_url: 'https://forgehall.example/Grace',
    language: '',
    is_admin: false,
    last_login: '1970-01-01T00:00:00Z',
    created: '2026-01-31T08:00:00Z',
    restricted: false,
    active: true,
    prohibit_login: false,
    location: '',
    website: '',
    description: '',
    visibility: 'public',
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
    username: 'Grace',
  })
  const addresses = await pool`
    select address, key, is_primary, is_activated, is_listed from forge.email_address where account_id = ${id}`
  assert.deepEqual(
    [...addresses],
    [
      {
        address: 'Grace@example.org',
        key: 'grace@example.org',
        is_primary: true,
        is_activated: true,
        is_listed: true,
      },
    ],
  )
  const self = await call('GET /api/v1/user', { as: basic('grace', password) })
  assert.equal(self.status, 403)
  assert.match(self.body.message, /^You must change your password/)
})

test(`${literal} stores every option`, async () => {
  const { status, body } = await create(
    wish('linus', {
      login_name: 'cn=linus',
      source_id: 0,
      must_change_password: false,
      send_notify: true,
      restricted: true,
      visibility: 'limited',
      created_at: '2001-02-03T04:05:06+02:00',
    }),
  )
  assert.equal(status, 201)
  assert.equal(body.login_name, 'cn=linus')
  assert.equal(body.restricted, true)
  assert.equal(body.visibility, 'limited')
  assert.equal(body.created, '2001-02-03T02:05:06Z')
  const self = await call('GET /api/v1/user', { as: basic('linus', password) })
  assert.equal(self.status, 200)
  const [row] = await pool`select updated_at from forge.account where id = ${body.id}`
  assert.equal(row?.updated_at, '2001-02-03T02:05:06.000Z')
})

test(`${literal} treats null and "" as absent, and ignores unknown members`, async () => {
  const { status, body } = await create(
    wish('barbara', {
      full_name: null,
      visibility: '',
      restricted: null,
      admin: true,
      active: false,
      is_admin: true,
    }),
  )
  assert.equal(status, 201)
  assert.deepEqual(
    [body.is_admin, body.active, body.visibility, body.restricted],
    [false, true, 'public', false],
  )
})

test(`${literal} reads forms, whose names are the internal ones`, async () => {
  const form = new URLSearchParams({
    username: 'dennis',
    email: 'dennis@example.org',
    password,
    must_change_password: 'false',
    created: '2010-01-01T00:00:00Z',
  })
  const { status, body } = await call(literal, {
    as: boss,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(form),
  })
  assert.equal(status, 201)
  assert.equal(body.created, '2010-01-01T00:00:00Z')
})

test(`${literal} leaves a row in the audit trail, and no password in it`, async () => {
  const { body } = await create(wish('ken'))
  const [row] = await pool`select * from forge.audit where action = 'user.created' order by id desc limit 1`
  assert.equal(row?.actor_name, 'boss')
  assert.equal(row?.target_id, body.id)
  assert.equal(row?.target_name, 'ken')
  assert.ok(!JSON.stringify(row).includes(password))
  const [stored] = await pool`select record from forge.password where account_id = ${body.id}`
  assert.match(stored?.record, /^\$scrypt\$/)
})

test(`${literal} refuses a name that anybody has, in any case, before an address`, async () => {
  const organization = await make.organization(ada, { name: 'Guild' })
  const bot = await make.bot({ name: 'robot' })
  for (const { name } of [ada, organization, bot]) {
    const before = await count()
    const { status, body } = await create(wish(name.toUpperCase(), { email: ada.email }))
    assert.equal(status, 409)
    assert.equal(body.message, `user already exists [name: ${name.toUpperCase()}]`)
    assert.equal(await count(), before)
  }
})

test(`${literal} refuses an address that anybody has, in another spelling too, and creates nothing`, async () => {
  await create(wish('margaret', { email: 'margaret@bücher.example' }))
  for (const email of [ada.email, ada.email.toUpperCase(), 'Margaret@xn--bcher-kva.example']) {
    const before = await count()
    const { status, body } = await create(wish('somebody', { email }))
    assert.equal(status, 409)
    assert.equal(body.message, `e-mail already in use [email: ${email}]`)
    assert.equal(await count(), before)
  }
})

test(`${literal} refuses a password that is absent or too short with 400`, async () => {
  for (const short of [undefined, '', 'short', 'seven77']) {
    const { status, body } = await create({ ...wish('weak'), password: short })
    assert.equal(status, 400)
    assert.equal(body.message, 'PasswordIsRequired')
  }
})

for (const [what, more, message] of [
  ['no name', { username: undefined }, '[Username]: Required'],
  ['an empty name', { username: '' }, '[Username]: Required'],
  ['41 characters', { username: 'a'.repeat(41) }, '[Username]: MaxSize'],
  ['a blank in the name', { username: 'a b' }, '[Username]: invalid username'],
  ['a slash in the name', { username: 'a/b' }, '[Username]: invalid username'],
  ['dots', { username: '..' }, '[Username]: invalid username'],
  ['two signs in a row', { username: 'a--b' }, '[Username]: invalid username'],
  ['a sign at the end', { username: 'a.' }, '[Username]: invalid username'],
  ['a letter beyond ASCII', { username: 'zoë' }, '[Username]: invalid username'],
  ['a line break in the name', { username: 'a\nb' }, '[Username]: invalid username'],
  ['a reserved name', { username: 'API' }, 'name is reserved [name: api]'],
  ['a reserved ending', { username: 'ada.keys' }, 'name pattern is not allowed [pattern: *.keys]'],
  ['no address', { email: undefined }, '[Email]: Required'],
  ['CR and LF in the address', { email: 'x@example.org\r\nBcc: y@example.org' }, '[Email]: Email'],
  ['no domain', { email: 'x@' }, '[Email]: Email'],
  ['no dot', { email: 'x@localhost' }, '[Email]: Email'],
  ['a dash in front', { email: '-x@example.org' }, '[Email]: Email'],
  ['a long full name', { full_name: 'ä'.repeat(101) }, '[FullName]: MaxSize'],
  ['a long password', { password: 'a'.repeat(256) }, '[Password]: MaxSize'],
  ['an unknown visibility', { visibility: 'secret' }, '[Visibility]: In'],
  ['an unknown source', { source_id: 7 }, 'login source does not exist [id: 7]'],
  ['a negative source', { source_id: -1 }, 'login source does not exist [id: -1]'],
  ['a wrong type', { restricted: 'true' }, /^\[\]: /],
  ['a list for a text', { username: ['x'] }, /^\[\]: /],
  ['a number for a text', { email: 7 }, /^\[\]: /],
  ['a fraction for a source', { source_id: 1.5 }, /^\[\]: /],
  ['no date', { created_at: 'yesterday' }, /^\[\]: /],
  ['NUL', { full_name: 'a\0b' }, /^\[\]: /],
  ['half a character', { full_name: '\ud800' }, /^\[\]: /],
] as const) {
  test(`${literal} refuses ${what} with 422 and changes nothing`, async () => {
    const before = await count()
    const { status, body } = await create(wish('nobody', more))
    assert.equal(status, 422)
    if (typeof message === 'string') assert.equal(body.message, message)
    else assert.match(body.message, message)
    assert.equal(await count(), before)
  })
}

for (const [what, text, type] of [
  ['an empty body', '', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['a text', '"x"', 'application/json'],
  ['half of a body', '{"username":', 'application/json'],
  ['a member twice', '{"username":"a","username":"b"}', 'application/json'],
  ['null', 'null', 'application/json'],
  ['another type', 'username=x', 'text/plain'],
] as const) {
  test(`${literal} refuses ${what} as a body with 422`, async () => {
    const { status } = await call(literal, { as: boss, headers: { 'content-type': type }, body: text })
    assert.equal(status, 422)
  })
}

test(`${literal} is for administrators alone`, async () => {
  const readOnly = bearer(await make.token(boss, 'read:admin'))
  assert.equal((await call(literal, { body: wish('x1') })).status, 401)
  assert.equal((await create(wish('x1'), ada)).status, 403)
  assert.equal((await create({}, ada)).status, 403, 'whatever the body is')
  const refused = await create(wish('x1'), readOnly)
  assert.equal(refused.status, 403)
  assert.match(refused.body.message, /required=\[write:admin\], token scope=read:admin$/)
  const { status } = await call(literal, { as: boss, query: { sudo: 'ada' }, body: wish('x1') })
  assert.equal(status, 403)
})

test(`${literal}: of many creations of one name one succeeds, and the others are a 409`, async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      create(wish(at % 2 ? 'RACER' : 'racer', { email: `racer${at}@example.org` })),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    201,
    ...Array.from({ length: 11 }, () => 409),
  ])
  const left = await pool`select id from forge.email_address where key like 'racer%'`
  assert.equal(left.length, 1)
})

test(`${literal}: of many creations with one address one wins, and nothing is left of the others`, async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => create(wish(`twin${at}`, { email: 'twin@example.org' }))),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 7)
  assert.equal((await pool`select id from forge.account where key like 'twin%'`).length, 1)
})

test(`${literal} ends a redirect of the name`, async () => {
  await make.person({ name: 'mover' })
  const rename = 'POST /api/v1/admin/users/{username}/rename'
  const params = { username: 'mover' }
  assert.equal((await call(rename, { as: boss, params, body: { new_username: 'moved' } })).status, 204)
  assert.equal((await pool`select key from forge.name_redirect where key = 'mover'`).length, 1)
  const { body } = await create(wish('mover', { email: 'mover2@example.org' }))
  assert.equal((await pool`select key from forge.name_redirect where key = 'mover'`).length, 0)
  const { body: shown } = await call('GET /api/v1/users/{username}', { params })
  assert.equal(shown.id, body.id)
})
