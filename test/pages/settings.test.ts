import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from '../../src/pages/sign-in/browser-name.ts'
import { startApp } from '../support/app.ts'
import { makersFor, type Somebody, samePassword } from '../support/forge/make.ts'
import { newKeyLine } from '../support/forge/ssh-key.ts'
import { hostile, root } from './browser.ts'
import { focused, personAt } from './person.ts'

const app = await startApp()
const { call, clock, log } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { get, post, signIn } = personAt(app)

const sections = ['', '/password', '/emails', '/tokens', '/keys', '/gpg_keys', '/codes', '/sessions'].map(
  (each) => `/settings${each}`,
)

async function somebody() {
  const me = await make.person()
  return { me, cookie: await signIn(me.name) }
}

/** The newest entries of the audit trail about somebody, newest first. */
async function trail({ name }: Somebody, limit = 1) {
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { target: name, limit } })
  return body.entries.map(
    ({ action, actor, details }: { action: string; actor: { name: string }; details: object }) => [
      action,
      actor.name,
      details,
    ],
  )
}

test('pages of settings lead to the sign-in page and back; forms of other sites are refused', async () => {
  const { cookie } = await somebody()
  for (const path of sections) {
    const first = await get(path)
    assert.deepEqual([first.status, first.location], [303, `${root}login?next=${path}`])
    assert.equal((await post(path, {})).status, 303)
    const page = await get(path, cookie)
    assert.equal(page.status, 200, path)
    assert.match(page.text, new RegExp(`href="${root.slice(0, -1)}${path}" aria-current="page"`))
    assert.equal(page.headers.get('cache-control'), 'private, no-store')
    const foreign = await fetch(app.url + path, {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ action: 'x' }),
      redirect: 'manual',
    })
    assert.equal(foreign.status, 403)
  }
})

test('POST /settings with an unknown action is 400, and changes nothing', async () => {
  const { cookie } = await somebody()
  for (const path of sections.slice(2))
    for (const action of [{}, { action: 'dance' }])
      assert.equal((await post(path, action, cookie)).status, 400)
})

test('a session of a token that may only read sees its settings and changes nothing', async () => {
  const { me } = await somebody()
  const cookie = await signIn('', await make.token(me, 'read:user'))
  for (const path of sections) {
    assert.equal((await get(path, cookie)).status, 200, path)
    assert.equal((await post(path, { action: 'end-others' }, cookie)).status, 403, path)
  }
})

test('POST /settings saves the profile as the API shows it, and the audit trail says what was changed', async () => {
  const { me, cookie } = await somebody()
  const fields = {
    full_name: 'Ada L.',
    description: 'counts',
    website: 'https://ada.example/',
    location: 'London',
  }
  const hiding = { hide_email: 'on', hide_activity: 'on' }
  const saved = await post('/settings', { ...fields, visibility: 'limited', ...hiding }, cookie)
  assert.deepEqual([saved.status, saved.location], [303, `${root}settings?done=1`])
  assert.deepEqual(await trail(me), [
    ['user.edited', me.name, { ...fields, visibility: 'limited', hides_email: true, hides_activity: true }],
  ])
  const { body } = await call('GET /api/v1/user', { as: me })
  assert.deepEqual(
    [body.full_name, body.website, body.visibility],
    ['Ada L.', 'https://ada.example/', 'limited'],
  )
  const { body: settings } = await call('GET /api/v1/user/settings', { as: me })
  assert.deepEqual([settings.hide_email, settings.hide_activity], [true, true])
  const page = await get('/settings?done=1', cookie)
  assert.match(page.text, /role="status" tabindex="-1" autofocus>Your profile is saved\./)
  assert.match(page.text, /name="hide_email" checked>/)
  assert.match(page.text, /name="hide_activity" checked>/)
  assert.match(page.text, /<option value="limited" selected>/)
  await post('/settings', { ...fields, visibility: 'limited' }, cookie)
  assert.deepEqual(await trail(me), [['user.edited', me.name, { hides_email: false, hides_activity: false }]])
})

test('POST /settings says what is wrong beside the field, keeps what was written, and changes nothing', async () => {
  const { me, cookie } = await somebody()
  for (const [name, value, fault] of [
    ['website', 'javascript:alert(1)', /must be an address/],
    ['full_name', 'x'.repeat(101), /too long/],
    ['description', 'x'.repeat(256), /too long/],
    ['location', 'x'.repeat(51), /too long/],
  ] as const) {
    const answered = await post(
      '/settings',
      { full_name: 'new', visibility: 'public', [name]: value },
      cookie,
    )
    assert.equal(answered.status, 422, name)
    assert.match(answered.text, fault)
    assert.equal(focused(answered.text), name)
    assert.ok(answered.text.includes(value))
  }
  assert.equal((await post('/settings', { visibility: 'nobody' }, cookie)).status, 422)
  assert.equal((await call('GET /api/v1/user', { as: me })).body.full_name, '')
  for (const text of hostile)
    await post('/settings', { full_name: text, location: text, visibility: 'public' }, cookie)
  await get('/settings', cookie)
})

test('POST /settings/password changes it with the current one, and ends all other sessions', async () => {
  const { me, cookie } = await somebody()
  const others = [await signIn(me.name), await signIn('', await make.token(me))]
  const password = 'another long password'
  const fields = { current: samePassword, password, repeated: password }
  const changed = await post('/settings/password', fields, cookie)
  assert.deepEqual([changed.status, changed.location], [303, `${root}settings/password?done=1`])
  assert.equal((await get('/settings', cookie)).status, 200, 'this session goes on')
  for (const other of others) assert.equal((await get('/settings', other)).status, 303)
  assert.deepEqual(await trail(me), [['user.password_changed', me.name, {}]])
  await signIn(me.name, password)
  assert.equal((await post('/login', { user: me.name, password: samePassword })).status, 401)
})

test('POST /settings/password with a wrong, weak or unequal password changes nothing', async () => {
  const { me, cookie } = await somebody()
  const other = await signIn(me.name)
  const password = 'another long password'
  const right = { current: samePassword, password, repeated: password }
  const long = 'x'.repeat(256)
  for (const [name, fields] of [
    ['current', { ...right, current: 'wrong' }],
    ['current', { ...right, current: me.token }],
    ['current', {}],
    ['password', { ...right, password: 'short', repeated: 'short' }],
    ['password', { ...right, password: long, repeated: long }],
    ['repeated', { ...right, repeated: 'another long passwort' }],
  ] as const) {
    const answered = await post('/settings/password', { password: '', ...fields }, cookie)
    if (Object.keys(fields).length > 0) assert.equal(focused(answered.text), name)
    assert.equal(answered.status, 422)
    assert.doesNotMatch(answered.text, /type="password" value="[^"]/, 'no password is sent back')
  }
  await signIn(me.name)
  assert.equal((await get('/settings', other)).status, 200)
})

test('POST /settings/password counts wrong passwords like those of sign-ins', async () => {
  const { cookie } = await somebody()
  const fields = { current: 'wrong', password: 'another long password', repeated: 'another long password' }
  const answers: number[] = []
  for (let time = 0; time < 12; time++)
    answers.push((await post('/settings/password', fields, cookie)).status)
  assert.deepEqual([answers[0], answers.at(-1)], [422, 429])
  clock.tick(3_600_000)
})

test('POST /settings/emails adds, removes and makes primary', async () => {
  const { me, cookie } = await somebody()
  const second = `second.${me.name}@example.com`
  const act = async (action: string, email: string) => {
    const { status, location } = await post('/settings/emails', { action, email }, cookie)
    assert.deepEqual([status, location], [303, `${root}settings/emails?done=1`])
  }
  const addresses = async () =>
    (await call('GET /api/v1/user/emails', { as: me })).body.map(
      ({ email, primary }: { email: string; primary: boolean }) => [email, primary],
    )
  await act('add', ` ${second} `)
  await act('make-primary', second.toUpperCase())
  assert.deepEqual(await addresses(), [
    [second, true],
    [me.email, false],
  ])
  assert.equal((await call('GET /api/v1/user', { as: me })).body.email, second)
  assert.deepEqual(await trail(me, 2), [
    ['email.made_primary', me.name, { emails: [second] }],
    ['email.added', me.name, { emails: [second] }],
  ])
  await act('make-primary', second)
  assert.equal((await trail(me))[0][0], 'email.made_primary')
  await act('remove', me.email)
  assert.deepEqual(await addresses(), [[second, true]])
  assert.match((await get('/settings/emails', cookie)).text, /primary/)
})

test('POST /settings/emails refuses what is no address, taken, primary or of somebody else', async () => {
  const { me, cookie } = await somebody()
  const { me: other } = await somebody()
  for (const [action, email] of [
    ['add', 'nonsense'],
    ['add', ''],
    ['add', other.email],
    ['remove', me.email],
    ['remove', other.email],
    ['make-primary', other.email],
    ['make-primary', 'nobody@example.com'],
    ...hostile.map((text) => ['add', text] as const),
  ] as const) {
    const answered = await post('/settings/emails', { action, email }, cookie)
    assert.equal(answered.status, 422, `${action} ${email}`)
    if (action === 'add') assert.equal(focused(answered.text), 'email')
  }
  assert.equal((await call('GET /api/v1/user/emails', { as: me })).body.length, 1)
})

test('POST /settings/keys adds a key with a title and deletes it', async () => {
  const { me, cookie } = await somebody()
  const key = newKeyLine('ada@laptop')
  const add = (title: string, line: string) =>
    post('/settings/keys', { action: 'add', title, key: line }, cookie)
  assert.equal((await add('laptop', `${key}\r\n`)).status, 303)
  const [stored] = (await call('GET /api/v1/user/keys', { as: me })).body
  assert.deepEqual([stored.title, stored.key], ['laptop', key])
  const page = await get('/settings/keys', cookie)
  assert.ok(page.text.includes('<h3>laptop</h3>') && page.text.includes(stored.fingerprint))
  for (const [field, title, line] of [
    ['title', '', newKeyLine()],
    ['key', 'other', ''],
    ['key', 'other', 'nonsense'],
    ['key', 'other', key],
    ['title', 'laptop', newKeyLine()],
    ...hostile.map((text) => ['key', text, text] as const),
  ] as const) {
    const answered = await add(title, line)
    assert.equal(answered.status, 422, `${title} ${line}`)
    assert.equal(focused(answered.text), field)
  }
  const { me: other, cookie: others } = await somebody()
  const deletion = { action: 'delete', id: String(stored.id) }
  assert.equal((await post('/settings/keys', deletion, others)).status, 422, other.name)
  assert.equal((await post('/settings/keys', deletion, cookie)).status, 303)
  for (const id of [deletion.id, 'x', '1e400', '-1'])
    assert.equal((await post('/settings/keys', { ...deletion, id }, cookie)).status, 422)
  assert.deepEqual((await call('GET /api/v1/user/keys', { as: me })).body, [])
})

test('POST /settings/tokens makes a token that is shown once, acts within its scopes, and is deleted', async () => {
  const { me, cookie } = await somebody()
  const fields = {
    action: 'make',
    name: 'for <b>ci</b>',
    repository: 'write',
    user: 'read',
    public_only: 'on',
  }
  const made = await post('/settings/tokens', fields, cookie)
  assert.equal(made.status, 200)
  assert.equal(made.headers.get('cache-control'), 'private, no-store')
  const [, token = ''] = /readonly value="([0-9a-f]{40})"/.exec(made.text) ?? []
  const as = { authorization: `token ${token}` }
  assert.equal((await call('GET /api/v1/user', { as })).status, 200)
  assert.equal((await call('GET /api/v1/notifications', { as })).status, 403)
  const page = await get('/settings/tokens', cookie)
  assert.match(page.text, /<h3>for &lt;b&gt;ci&lt;\/b&gt;/)
  assert.match(page.text, /public-only, write:repository, read:user/)
  assert.ok(!page.text.includes(token))
  assert.ok(!JSON.stringify(log.lines()).includes(token), 'no log holds it')
  assert.deepEqual(await trail(me), [
    ['token.created', me.name, { token: 'for <b>ci</b>', scopes: 'public-only,write:repository,read:user' }],
  ])
  const [, id = ''] = /name="id" value="(\d+)"/.exec(page.text) ?? []
  const { cookie: others } = await somebody()
  assert.equal((await post('/settings/tokens', { action: 'delete', id }, others)).status, 422)
  assert.equal((await post('/settings/tokens', { action: 'delete', id }, cookie)).status, 303)
  assert.equal((await call('GET /api/v1/user', { as })).status, 401)
})

test('POST /settings/tokens refuses a token without name or scopes, and one like another, and keeps the form', async () => {
  const { me, cookie } = await somebody()
  const form = { action: 'make', name: 'first', issue: 'read', all: '' }
  for (const [fields, field, fault] of [
    [form, 'name', /has this name/],
    [{ ...form, name: '' }, 'name', /must not be empty/],
    [{ action: 'make', name: 'new' }, undefined, /Choose what the token may do/],
    [{ action: 'make', name: 'new', issue: 'everything' }, undefined, /Choose what the token may do/],
  ] as const) {
    const answered = await post('/settings/tokens', fields, cookie)
    assert.equal(answered.status, 422)
    assert.match(answered.text, fault)
    assert.equal(focused(answered.text), field)
  }
  assert.match((await post('/settings/tokens', form, cookie)).text, /<option value="read" selected>/)
  const small = await signIn('', await make.token(me, 'write:user'))
  const broad = await post('/settings/tokens', { action: 'make', name: 'broad', all: 'on' }, small)
  assert.equal(broad.status, 422)
  assert.match(broad.text, /broader scope/)
  assert.equal(
    (await post('/settings/tokens', { action: 'make', name: 'narrow', user: 'read' }, small)).status,
    200,
  )
})

test('POST /settings/tokens makes a token that ends with a day, and with it the sessions that it began', async () => {
  const { me, cookie } = await somebody()
  const form = { action: 'make', name: 'for a day', all: 'on' }
  for (const [expires, fault] of [
    ['2026-01-01', /This day is over/],
    ['2026-02-30x', /This is no day/],
    ['tomorrow', /This is no day/],
  ] as const) {
    const answered = await post('/settings/tokens', { ...form, expires }, cookie)
    assert.equal(answered.status, 422)
    assert.match(answered.text, fault)
    assert.equal(focused(answered.text), 'expires')
  }
  const expires = clock.now().toISOString().slice(0, 10)
  const made = await post('/settings/tokens', { ...form, expires }, cookie)
  const [, token = ''] = /readonly value="([0-9a-f]{40})"/.exec(made.text) ?? []
  assert.ok(made.text.includes(`ends <time datetime="${expires}T23:59:59.999Z"`))
  const late = Date.parse(`${expires}T23:00:00Z`) - clock.now().getTime()
  clock.tick(Math.max(0, late))
  const session = await signIn('', token)
  assert.equal((await get('/settings', session)).status, 200)
  clock.tick(3_600_000)
  assert.equal((await get('/settings', session)).status, 303)
  assert.equal((await post('/login', { password: token })).status, 401, me.name)
})

test('POST /settings/sessions ends one session, or all others; the list says which browsers they are', async () => {
  const { me, cookie } = await somebody()
  const [second, third] = [await signIn(me.name), await signIn('', await make.token(me))]
  const page = await get('/settings/sessions', cookie)
  assert.equal([...page.text.matchAll(/<h3>Firefox on Linux/g)].length, 3)
  assert.equal([...page.text.matchAll(/this browser/g)].length, 1)
  assert.match(page.text, /with an access token/)
  const [, id = ''] = /name="id" value="(\d+)"/.exec(page.text) ?? []
  const { cookie: others } = await somebody()
  assert.equal((await post('/settings/sessions', { action: 'end', id }, others)).status, 422)
  assert.equal((await post('/settings/sessions', { action: 'end', id }, cookie)).status, 303)
  assert.deepEqual(
    [(await get('/settings', third)).status, (await get('/settings', second)).status],
    [303, 200],
  )
  assert.equal((await post('/settings/sessions', { action: 'end', id }, cookie)).status, 422, 'it is gone')
  assert.equal((await post('/settings/sessions', { action: 'end-others' }, cookie)).status, 303)
  assert.deepEqual(await trail(me), [['user.sessions_ended', me.name, { sessions: 1 }]])
  assert.deepEqual(
    [(await get('/settings', second)).status, (await get('/settings', cookie)).status],
    [303, 200],
  )
  assert.equal((await post('/settings/sessions', { action: 'end-others' }, cookie)).status, 422)
})

test('a browser has the name that people know, whatever else it calls itself', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
  for (const [userAgent, name] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${chrome}`, 'Chrome on Linux'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${chrome.replace('Chrome', 'HeadlessChrome')}`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chrome}`, 'Chrome on Android'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/140.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome}`, 'Chrome on ChromeOS'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['curl/8.14.1', 'curl'],
    ['<script>alert(1)</script>', 'Another program'],
    [undefined, 'Another program'],
  ] as const)
    assert.equal(browserName(userAgent), name)
})
