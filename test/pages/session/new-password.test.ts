import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpAt } from '../../../src/forge/auth/totp.ts'
import { upsertTotp } from '../../../src/forge/auth/totp-store.ts'
import { startApp } from '../../support/app.ts'
import { basic, makersFor, type Somebody, samePassword, testSecrets } from '../../support/forge/make.ts'
import { root } from '../browser.ts'
import { hiddenIn } from '../managing.ts'
import { focused, personAt } from '../person.ts'

const app = await startApp()
const { call, clock, log, pool } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { get, post, signIn } = personAt(app)
const secret = Buffer.from('12345678901234567890')
const chosen = 'a password of my own'

const edit = async ({ name }: Somebody, body: object) => {
  const literal = 'PATCH /api/v1/admin/users/{username}'
  assert.equal((await call(literal, { as: boss, params: { username: name }, body })).status, 200)
}
const enrol = ({ id }: Somebody) => make.begin((tx) => upsertTotp(tx, testSecrets, id, secret))

/** A code of the app; each call is a new step of time, since a code works once. */
function nextCode(): string {
  clock.tick(30_000)
  return totpAt(secret, clock.now())
}

async function linkOf({ name }: { name: string }): Promise<string> {
  const literal = 'POST /api/v1/admin/users/{username}/password-link'
  const { status, body } = await call(literal, { as: boss, params: { username: name } })
  assert.equal(status, 201)
  return body.url.slice(`${root}login/password?link=`.length)
}

const statusFor = async ({ name }: Somebody, password: string) =>
  (await call('GET /api/v1/user', { as: basic(name, password) })).status
const twice = (password = chosen) => ({ password, repeated: password })
const setBy = (link: string, fields: Record<string, string> = twice()) =>
  post('/login/password', { link, ...fields })
const lastActions = async ({ name }: Somebody) => {
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { target: name } })
  return body.entries.map(({ action, details }: { action: string; details: object }) => [action, details])
}

test('POST /login asks whoever must change the password for a new one, and goes on', async () => {
  const me = await make.person()
  await edit(me, { must_change_password: true })
  const refused = await call('GET /api/v1/user', { as: basic(me.name, samePassword) })
  assert.equal(refused.status, 403)
  assert.match(refused.body.message, /Sign in at https:\/\/forgehall\.example\/login to choose a new one/)

  const asked = await post('/login', { user: me.name, password: samePassword, next: '/explore/repos?q=x' })
  assert.equal(asked.status, 403)
  assert.equal(asked.headers.get('set-cookie'), null)
  assert.match(asked.headers.get('cache-control') ?? '', /no-store/)
  assert.equal(focused(asked.text), 'password')
  const step = hiddenIn(asked.text, 'step')
  const next = hiddenIn(asked.text, 'next')

  for (const [fields, fault] of [
    [twice('short'), 'password'],
    [twice(''), 'password'],
    [twice('x'.repeat(256)), 'password'],
    [{ password: chosen, repeated: 'another password' }, 'repeated'],
  ] as const) {
    const again = await post('/login/password', { step, next, ...fields })
    assert.deepEqual([again.status, focused(again.text)], [422, fault], JSON.stringify(fields))
    assert.equal(hiddenIn(again.text, 'step'), step)
    assert.ok(!again.text.includes(chosen), 'a password is not sent back')
  }
  assert.equal(await statusFor(me, samePassword), 403, 'nothing has changed')

  const done = await post('/login/password', { step, next, ...twice() })
  assert.deepEqual([done.status, done.location], [303, `${root}explore/repos?q=x`])
  const cookie = done.headers.get('set-cookie')?.split(';')[0] ?? ''
  assert.equal((await get('/settings', cookie)).status, 200)
  assert.deepEqual([await statusFor(me, chosen), await statusFor(me, samePassword)], [200, 401])
  assert.deepEqual((await lastActions(me))[0], ['user.password_changed', { by: 'sign-in' }])

  const repeated = await post('/login/password', { step, ...twice('yet another one') })
  assert.equal(repeated.status, 401)
  assert.match(repeated.text, /Sign in again/)
  assert.equal(await statusFor(me, chosen), 200)
})

test('POST /login/password shows the form that waited for the sign-in', async () => {
  const me = await make.person()
  await edit(me, { must_change_password: true })
  const waiting = { kept_path: '/settings/emails', 'kept.email': 'new@example.com' }
  const asked = await post('/login', { user: me.name, password: samePassword, ...waiting })
  assert.equal(asked.status, 403)
  const step = hiddenIn(asked.text, 'step')
  const done = await post('/login/password', { step, ...waiting, ...twice() })
  assert.equal(done.status, 200)
  assert.match(done.text, /You are signed in again/)
  assert.ok(done.text.includes('new@example.com'))
})

test('POST /login asks for a missing one-time code, and loses nothing that was written', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  const kept = { action: 'add', email: 'new@example.com' }
  await enrol(me)
  const fields = { next: '/settings/emails', kept_path: '/settings/emails', 'kept.email': kept.email }
  const asked = await post('/login', { user: me.name, password: samePassword, ...fields })
  assert.deepEqual([asked.status, focused(asked.text)], [401, 'code'])
  assert.ok(!asked.text.includes(samePassword))
  const carried = { step: hiddenIn(asked.text, 'step'), next: hiddenIn(asked.text, 'next') }
  const waiting = {
    kept_path: hiddenIn(asked.text, 'kept_path'),
    'kept.email': hiddenIn(asked.text, 'kept.email'),
  }
  assert.deepEqual({ next: carried.next, ...waiting }, fields)

  const wrong = await post('/login', { ...carried, ...waiting, code: '000000' })
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /The code is wrong/)
  assert.equal(hiddenIn(wrong.text, 'step'), carried.step)
  assert.equal(hiddenIn(wrong.text, 'kept.email'), kept.email)

  const code = nextCode()
  const done = await post('/login', { ...carried, code })
  assert.deepEqual([done.status, done.location], [303, `${root}settings/emails`])
  assert.equal((await post('/login', { ...carried, code })).status, 401, 'a code works once')
  assert.equal((await get('/settings', cookie)).status, 303, 'the session from before the enrolment is over')
  const sent = await post('/login', { ...carried, ...waiting, code: nextCode() })
  assert.equal(sent.status, 200)
  assert.match(sent.text, /You are signed in again/)
  assert.ok(!JSON.stringify(log.lines()).includes(carried.step))
})

test('a wrong password, a prohibited account and a missing code of the API tell nothing of the codes', async () => {
  const me = await make.person()
  await enrol(me)
  const wrong = await post('/login', { user: me.name, password: 'wrong' })
  assert.deepEqual([wrong.status, hiddenIn(wrong.text, 'step')], [401, ''])
  await edit(me, { prohibit_login: true })
  const barred = await post('/login', { user: me.name, password: samePassword })
  assert.deepEqual([barred.status, hiddenIn(barred.text, 'step')], [401, ''])
  await edit(me, { prohibit_login: false })
  const answers = await Promise.all(
    [samePassword, 'wrong'].map((password) => call('GET /api/v1/user', { as: basic(me.name, password) })),
  )
  assert.deepEqual(answers[0]?.body, answers[1]?.body)
})

test('a begun sign-in ends after fifteen minutes, with the password, with the account and when it is changed', async () => {
  const begun = async (change?: (me: Somebody) => unknown) => {
    const me = await make.person()
    await enrol(me)
    const { text } = await post('/login', { user: me.name, password: samePassword })
    await change?.(me)
    return { me, step: hiddenIn(text, 'step') }
  }
  const statusWith = async (step: string) => (await post('/login', { step, code: nextCode() })).status
  assert.equal(await statusWith((await begun()).step), 303)
  const changes: ((me: Somebody) => unknown)[] = [
    (me) => edit(me, { password: chosen }),
    (me) => edit(me, { prohibit_login: true }),
    () => clock.tick(15 * 60_000),
  ]
  for (const change of changes)
    assert.equal(await statusWith((await begun(change)).step), 401, String(change))
  const { step } = await begun((me) => edit(me, { active: false }))
  assert.equal(await statusWith(step), 403)
  for (const forged of ['', 'x', `${(await begun()).step.slice(0, -2)}AA`])
    assert.equal(await statusWith(forged), 401)
})

test('both steps follow each other: a code, then a new password', async () => {
  const me = await make.person()
  await enrol(me)
  await edit(me, { must_change_password: true })
  const asked = await post('/login', { user: me.name, password: samePassword })
  const withoutCode = hiddenIn(asked.text, 'step')
  const skipped = await post('/login/password', { step: withoutCode, ...twice() })
  assert.equal(skipped.status, 401, 'nobody sets a password without the code')
  assert.equal(await statusFor(me, chosen), 401)
  const second = await post('/login', { step: withoutCode, code: nextCode() })
  assert.deepEqual([second.status, focused(second.text)], [403, 'password'])
  const done = await post('/login/password', { step: hiddenIn(second.text, 'step'), ...twice() })
  assert.deepEqual([done.status, done.location], [303, root])
})

test('a link sets a password once, and signs nobody in', async () => {
  const me = await make.person()
  await edit(me, { must_change_password: true })
  const link = await linkOf(me)
  const shown = await get(`/login/password?link=${link}`)
  assert.equal(shown.status, 200)
  assert.ok(shown.text.includes(me.name))
  assert.equal(hiddenIn(shown.text, 'link'), link)
  const done = await setBy(link)
  assert.deepEqual([done.status, done.location], [303, `${root}login?changed=1`])
  assert.equal(done.headers.get('set-cookie'), null)
  assert.match((await get('/login?changed=1')).text, /Your password is set/)
  assert.equal(await statusFor(me, chosen), 200)
  assert.deepEqual((await lastActions(me)).slice(0, 2), [
    ['user.password_changed', { by: 'link' }],
    ['user.password_link_made', {}],
  ])
  for (const { status } of [await setBy(link), await get(`/login/password?link=${link}`)])
    assert.equal(status, 404)
  const [stored] = await pool<{ text: string }[]>`
    select coalesce(string_agg(password_link::text, ''), '') || (select string_agg(audit::text, '') from forge.audit) as text
    from forge.password_link`
  assert.ok(!stored?.text.includes(link) && !JSON.stringify(log.lines()).includes(link), 'it is kept nowhere')
})

test('a link ends with the password, a newer link, the account, and after an hour', async () => {
  const changes: ((me: Somebody) => unknown)[] = [
    (me) => edit(me, { password: 'set by somebody else' }),
    (me) => linkOf(me),
    () => clock.tick(3_600_000),
    (me) => call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: me.name } }),
  ]
  for (const change of changes) {
    const me = await make.person()
    const link = await linkOf(me)
    await change(me)
    assert.equal((await setBy(link)).status, 404, String(change))
    assert.notEqual(await statusFor(me, chosen), 200)
  }
  for (const link of ['', 'x', "'"]) assert.equal((await get(`/login/password?link=${link}`)).status, 404)
  assert.equal((await get('/login/password')).status, 404)
})

test('of ten concurrent uses of a link one sets the password', async () => {
  const me = await make.person()
  const link = await linkOf(me)
  const passwords = Array.from({ length: 10 }, (_, index) => `password number ${index}`)
  const answers = await Promise.all(passwords.map((password) => setBy(link, twice(password))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array(9).fill(404)])
  const winner = passwords[answers.findIndex(({ status }) => status === 303)] ?? ''
  assert.equal(await statusFor(me, winner), 200)
})

test('forms of the sign-in from another site are refused', async () => {
  const me = await make.person()
  const link = await linkOf(me)
  const headers = { 'sec-fetch-site': 'cross-site' }
  const body = new URLSearchParams({ link, ...twice() })
  const response = await fetch(`${app.url}/login/password`, { method: 'POST', headers, body })
  assert.equal(response.status, 403)
  assert.equal(await statusFor(me, samePassword), 200)
})
