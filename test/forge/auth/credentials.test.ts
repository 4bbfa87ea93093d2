import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOT_NAME } from '../../../src/actions/run/bot.ts'
import { createSecrets } from '../../../src/db/encryption/secrets.ts'
import { updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { createPasswords } from '../../../src/forge/auth/password.ts'
import { upsertPassword } from '../../../src/forge/auth/password-store.ts'
import { totpAt } from '../../../src/forge/auth/totp.ts'
import { upsertTotp } from '../../../src/forge/auth/totp-store.ts'
import { serveApp, startApp } from '../../support/app.ts'
import { basic, bearer, cheapPasswords, samePassword, testSecrets } from '../../support/forge/make.ts'
import { requestContexts } from '../../support/request-context.ts'
import { until } from '../../support/wait.ts'

const app = await startApp()
const { call, clock, pool, database, make } = app
const { begin } = make
const ada = await make.person({ name: 'Ada' })
const boss = await make.admin({ name: 'boss' })

const showSelf = 'GET /api/v1/user'
const refused = {
  message: 'invalid username, password or token',
  url: 'https://forgehall.example/api/swagger',
}

async function loginOf(authorization: string): Promise<string | undefined> {
  const { status, body } = await call(showSelf, { as: { authorization } })
  return status === 200 ? body.login : undefined
}

for (const header of [
  `token ${ada.token}`,
  `Token ${ada.token}`,
  `bearer ${ada.token}`,
  `BEARER   ${ada.token}`,
  basic('Ada').authorization,
  basic('ADA').authorization,
  basic(' ada ').authorization,
  basic('ada@example.com').authorization,
  basic('ADA@EXAMPLE.COM').authorization,
  basic('Ada', ada.token).authorization,
  basic('whoever', ada.token).authorization,
  basic(ada.token, '').authorization,
  basic(ada.token, 'x-oauth-basic').authorization,
]) {
  test(`GET /user knows who sends ${header.replace(ada.token, '<token>')}`, async () => {
    assert.equal(await loginOf(header), 'Ada')
  })
}

for (const header of [
  'foo',
  'Bearer',
  'Bearer a b',
  `token ${ada.token} more`,
  'Digest x',
  'Basic ?',
  `Basic ${Buffer.from('no colon').toString('base64')}`,
  'Basic Og==',
  `Signature ${ada.token}`,
]) {
  test(`GET /version ignores ${header.replace(ada.token, '<token>')}, as if it were absent`, async () => {
    const as = { authorization: header }
    assert.equal((await call('GET /api/v1/version', { as })).status, 200)
    const { status, body } = await call(showSelf, { as })
    assert.deepEqual([status, body.message], [401, 'token is required'])
  })
}

for (const header of [
  'token wrong',
  `Bearer ${'0'.repeat(40)}`,
  `Bearer ${ada.token.toUpperCase()}`,
  basic('Ada', 'wrong').authorization,
  basic('Ada', samePassword.toUpperCase()).authorization,
  basic('nobody').authorization,
  basic('nobody@example.com').authorization,
  basic("' or 1=1 --").authorization,
  basic('a\0b').authorization,
  basic('Ada', 'x'.repeat(5000)).authorization,
  basic('Ada', '\0').authorization,
]) {
  test(`GET /version refuses ${header.slice(0, 60)} although it is open`, async () => {
    const { status, headers, body } = await call('GET /api/v1/version', { as: { authorization: header } })
    assert.equal(status, 401)
    assert.deepEqual(body, refused)
    assert.equal(headers.get('www-authenticate'), null)
  })
}

test('organizations and bots cannot sign in with a password; a bot can with a token', async () => {
  const bot = await make.bot({ name: 'robot' })
  await make.organization(ada, { name: 'guild' })
  for (const user of ['robot', 'guild', bot.email])
    assert.equal((await call(showSelf, { as: basic(user) })).status, 401)
  assert.equal(await loginOf(bot.authorization), 'robot')
})

test('an address that is not activated is unknown', async () => {
  const { email } = await make.person()
  await pool`update forge.email_address set is_activated = false where key = ${email}`
  assert.equal((await call(showSelf, { as: basic(email) })).status, 401)
})

test('a changed password is refused and accepted at once, in every process, although it is remembered', async () => {
  const other = await serveApp(database)
  try {
    const { id, name } = await make.person()
    for (const each of [app, other])
      assert.equal((await each.call(showSelf, { as: basic(name) })).status, 200)
    const record = await cheapPasswords.hash('another one')
    await begin((tx) => upsertPassword(tx, id, record))
    for (const each of [app, other]) {
      assert.equal((await each.call(showSelf, { as: basic(name) })).status, 401)
      assert.equal((await each.call(showSelf, { as: basic(name, 'another one') })).status, 200)
    }
    await pool`delete from forge.password where account_id = ${id}`
    for (const each of [app, other])
      assert.equal((await each.call(showSelf, { as: basic(name, 'another one') })).status, 401)
  } finally {
    await other.close()
  }
})

test('a password that was stored at another cost is stored anew when it is right', async () => {
  const { id, name } = await make.person()
  const old = '$scrypt$ln=2,r=1,p=1$'
  const record = await createPasswords({ cost: { ln: 2, r: 1, p: 1 }, concurrency: 1, queue: 9 }).hash(
    'old cost',
  )
  await begin((tx) => upsertPassword(tx, id, record))
  assert.equal((await call(showSelf, { as: basic(name, 'wrong') })).status, 401)
  assert.equal((await call(showSelf, { as: basic(name, 'old cost') })).status, 200)
  await until('the password is stored anew', async () => {
    const [row] = await pool<[{ record: string }]>`select record from forge.password where account_id = ${id}`
    return !row.record.startsWith(old)
  })
  assert.equal((await call(showSelf, { as: basic(name, 'old cost') })).status, 200)
})

test('the states of an account keep it out, by token and by password, at once', async () => {
  const { id, name, authorization } = await make.person()
  const prohibited = 'This account is prohibited from signing in, please contact your site administrator.'
  const mustChange =
    'You must change your password. Sign in at https://forgehall.example/login to choose a new one.'
  for (const [edit, message] of [
    [{ is_active: false }, prohibited],
    [{ prohibit_login: true }, prohibited],
    [{ must_change_password: true }, mustChange],
  ] as const) {
    await begin((tx) => updateAccount(tx, id, edit))
    const byToken = await call('GET /api/v1/version', { as: { authorization } })
    assert.equal(byToken.status, 403)
    assert.deepEqual(byToken.body, { message })
    const byPassword = await call('GET /api/v1/version', { as: basic(name) })
    // The answer does not reveal to a prohibited account that the password was right.
    if ('prohibit_login' in edit) assert.deepEqual([byPassword.status, byPassword.body], [401, refused])
    else assert.deepEqual([byPassword.status, byPassword.body], [403, { message }])
    await begin((tx) =>
      updateAccount(tx, id, { is_active: true, prohibit_login: false, must_change_password: false }),
    )
    assert.equal(await loginOf(authorization), name)
  }
})

test('a deleted token and a deleted account are refused at once', async () => {
  const { id, authorization } = await make.person()
  const second = await make.token({ id })
  assert.ok(await loginOf(`token ${second}`))
  await pool`delete from forge.access_token where last_eight = ${second.slice(-8)}`
  assert.equal(await loginOf(`token ${second}`), undefined)
  assert.ok(await loginOf(authorization))
  await pool`delete from forge.account where id = ${id}`
  assert.equal(await loginOf(authorization), undefined)
})

test('the use of a token is noted, about once a minute', async () => {
  const { id, authorization } = await make.person()
  const used = async () => {
    const [row] = await pool<[{ last_used_at: string | null }]>`
      select last_used_at from forge.access_token where account_id = ${id}`
    return row.last_used_at
  }
  assert.equal(await used(), null)
  await loginOf(authorization)
  await until('the use is noted', async () => (await used()) !== null)
  const noted = await used()
  assert.equal(noted, clock.now().toISOString())
  clock.tick(59_000)
  await loginOf(authorization)
  clock.tick(1_000)
  await loginOf(authorization)
  await until('the later use is noted', async () => (await used()) !== noted)
  assert.equal(await used(), clock.now().toISOString())
})

test('the last time a password was right is shown, about to the minute, and is no edit', async () => {
  const { id, name, authorization } = await make.person()
  const [before] = await pool`select updated_at from forge.account where id = ${id}`
  const lastLogin = async () =>
    (await call('GET /api/v1/users/{username}', { as: boss, params: { username: name } })).body.last_login
  const seconds = () => `${clock.now().toISOString().slice(0, 19)}Z`
  await loginOf(authorization)
  await loginOf(basic(name, 'a wrong password').authorization)
  assert.equal(await lastLogin(), '1970-01-01T00:00:00Z', 'neither a token nor a wrong password is a sign-in')
  await loginOf(basic(name).authorization)
  await until('the sign-in is noted', async () => (await lastLogin()) === seconds())
  const noted = await lastLogin()
  clock.tick(59_000)
  await loginOf(basic(name).authorization)
  assert.equal(await lastLogin(), noted)
  clock.tick(1_000)
  await loginOf(basic(name).authorization)
  await until('the later one is noted', async () => (await lastLogin()) === seconds())
  const [after] = await pool`select updated_at from forge.account where id = ${id}`
  assert.deepEqual(after, before)
})

test('a caller who may not sign in is not recorded as signed in', async () => {
  const { id, name } = await make.person()
  await begin((tx) => updateAccount(tx, id, { must_change_password: true }))
  assert.equal((await call(showSelf, { as: basic(name) })).status, 403)
  const { id: other } = await make.person({ name: 'let-in' })
  await loginOf(basic('let-in').authorization)
  await until('the other one is noted', async () => {
    const rows = await pool`select from forge.account where id = ${other} and last_login_at is not null`
    return rows.length === 1
  })
  const [row] = await pool`select last_login_at from forge.account where id = ${id}`
  assert.equal(row?.last_login_at, null)
})

test('sudo: an administrator acts as somebody, by header or parameter, and the parameter wins', async () => {
  const as = boss
  assert.equal((await call(showSelf, { as, headers: { sudo: 'ada' } })).body.login, 'Ada')
  assert.equal((await call(showSelf, { as, query: { sudo: 'ADA' } })).body.login, 'Ada')
  assert.equal(
    (await call(showSelf, { as, query: { sudo: 'ada' }, headers: { sudo: 'boss' } })).body.login,
    'Ada',
  )
  assert.equal(
    (await call(showSelf, { as, query: { sudo: '' }, headers: { sudo: 'ada' } })).body.login,
    'Ada',
  )
  assert.equal((await call(showSelf, { as, query: { sudo: '' } })).body.login, 'boss')
  assert.equal((await call(showSelf, { as: basic('boss'), query: { sudo: 'ada' } })).body.login, 'Ada')
})

test('sudo to an unknown user, an organization or the account of Actions is 404', async () => {
  await make.organization(ada, { name: 'sudo-org' })
  for (const sudo of ['nobody', 'sudo-org', BOT_NAME, '../x', '\0', "' or 1=1"]) {
    const { status, body } = await call('GET /api/v1/version', { as: boss, query: { sudo } })
    assert.deepEqual([status, body.message], [404, 'not found'], sudo)
  }
})

test('sudo by a user who is no administrator, or by an anonymous caller, is 403 with only the message', async () => {
  for (const caller of [{ as: ada }, {}]) {
    const { status, body } = await call('GET /api/v1/version', { ...caller, query: { sudo: 'boss' } })
    assert.deepEqual([status, body], [403, { message: 'Only administrators allowed to sudo.' }])
  }
})

test('sudo takes the roles of the target and keeps the scopes of the token', async () => {
  const admin = { as: boss, query: { sudo: 'ada' } }
  assert.equal((await call('GET /api/v1/admin/audit', admin)).body.message, 'user should be the site admin')
  const narrow = await make.token(boss, 'read:user')
  assert.equal((await call(showSelf, { as: bearer(narrow), query: { sudo: 'ada' } })).body.login, 'Ada')
  const other = await make.token(boss, 'read:admin')
  assert.equal((await call(showSelf, { as: bearer(other), query: { sudo: 'ada' } })).status, 403)
})

test('one-time codes are required with a password, valid once, and not required with a token', async () => {
  const { id, name, authorization } = await make.person()
  const secret = Buffer.from('12345678901234567890')
  await begin((tx) => upsertTotp(tx, testSecrets, id, secret))
  const withCode = (code: string, header = 'X-Gitea-OTP') =>
    call(showSelf, { as: basic(name), headers: { [header]: code } })
  assert.deepEqual((await call(showSelf, { as: basic(name) })).body, refused)
  assert.equal((await withCode('000000')).status, 401)
  const code = totpAt(secret, clock.now())
  assert.equal((await withCode(code)).status, 200)
  assert.equal((await withCode(code)).status, 401)
  assert.equal(await loginOf(authorization), name)
  assert.equal(await loginOf(basic(name, authorization.slice(6)).authorization), name)
  clock.tick(60_000)
  const next = totpAt(secret, clock.now())
  const answers = await Promise.all(Array.from({ length: 10 }, () => withCode(next, 'x-forgejo-otp')))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
})

test('a one-time code whose secret another key encrypts is refused, and the log says so', async () => {
  const { id, name } = await make.person()
  const other = createSecrets(['another key, which the server does not have'])
  await begin((tx) => upsertTotp(tx, other, id, Buffer.alloc(20)))
  const code = totpAt(Buffer.alloc(20), clock.now())
  const { status } = await call(showSelf, { as: basic(name), headers: { 'x-gitea-otp': code } })
  assert.equal(status, 401)
  await until('the log says so', () =>
    app.log.lines().some(({ message }) => message === 'cannot check one-time codes'),
  )
})

test('a token in the query is ignored unless it is switched on, and then wins over the header', async () => {
  const other = await serveApp(database, { QUERY_TOKENS: 'true' })
  try {
    for (const name of ['token', 'access_token']) {
      const query = { [name]: ada.token }
      assert.equal((await call(showSelf, { query })).status, 401)
      assert.equal((await other.call(showSelf, { query })).body.login, 'Ada')
      assert.equal((await other.call(showSelf, { query, as: boss })).body.login, 'Ada')
      assert.equal(
        (await other.call(showSelf, { query, as: { authorization: 'Digest x' } })).body.login,
        'Ada',
      )
    }
    const emptyFirst = { query: { token: '', access_token: ada.token } }
    assert.equal((await other.call(showSelf, emptyFirst)).body.login, 'Ada')
    const wrong = { query: { token: 'wrong' } }
    assert.equal((await other.call('GET /api/v1/version', wrong)).status, 401)
    assert.equal((await other.call(showSelf, { ...wrong, as: boss })).body.login, 'boss')
  } finally {
    await other.close()
  }
})

test('REQUIRE_SIGNIN closes everything to anonymous callers, the version too', async () => {
  const other = await serveApp(database, { REQUIRE_SIGNIN: 'true' })
  try {
    const { status, body } = await other.call('GET /api/v1/version')
    assert.deepEqual([status, body], [403, { message: 'Only signed in user is allowed to call APIs.' }])
    assert.equal((await other.call('GET /api/v1/version', { as: ada })).status, 200)
  } finally {
    await other.close()
  }
})

test('equal callers that wait together share one look at the database', async () => {
  let looks = 0
  const watched = new Proxy(pool, {
    apply(target, self, args) {
      if (String(args[0]).includes('with candidate')) looks++
      return Reflect.apply(target, self, args)
    },
  })
  const contextFor = requestContexts(app)
  const ask = (as?: { authorization: string }) => {
    const context = contextFor({ as, sql: watched })
    return context.tools.authenticator.authenticate(context)
  }
  const calls = Array.from({ length: 100 }, () => ask(ada))
  for (const { me } of await Promise.all(calls)) assert.equal(me?.name, 'Ada')
  assert.equal(looks, 1)
  await ask()
  assert.equal(looks, 1, 'who presents nothing costs nothing')
})

test('a page of another site changes nothing with a password that a browser remembers', async () => {
  const sent = async (method: string, { site, authorization, form }: Sent) => {
    const { status } = await fetch(`${app.url}/api/v1/user/repos`, {
      method,
      headers: {
        authorization,
        ...(site && { 'sec-fetch-site': site }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: new URLSearchParams(form) }),
    })
    return status
  }
  let made = 0
  for (const { authorization } of [basic('ada'), basic('ada', ada.token), basic(ada.token, '')])
    for (const [site, status] of [
      ['cross-site', 403],
      ['same-site', 403],
      ['same-origin', 201],
      ['none', 201],
      [undefined, 201],
    ] as const) {
      const form = { name: `crossed-${++made}` }
      assert.equal(await sent('POST', { site, authorization, form }), status, `${site} ${made}`)
      assert.equal(await sent('GET', { site, authorization }), 200)
    }
  // A page has to know a token: no browser adds it.
  const form = { name: 'by-token' }
  assert.equal(await sent('POST', { site: 'cross-site', authorization: `token ${ada.token}`, form }), 201)
})

interface Sent {
  site?: string | undefined
  authorization: string
  form?: Record<string, string>
}
