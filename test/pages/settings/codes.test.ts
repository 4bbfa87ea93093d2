import assert from 'node:assert/strict'
import { test } from 'node:test'
import jsQR from 'jsqr'
import { decodeBase32 } from '../../../src/forge/auth/base32.ts'
import { totpAt } from '../../../src/forge/auth/totp.ts'
import { startApp } from '../../support/app.ts'
import { basic, makersFor, type Somebody, samePassword } from '../../support/forge/make.ts'
import { root } from '../browser.ts'
import { focused, personAt } from '../person.ts'

const app = await startApp()
const { call, clock, log, pool } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { get, post, signIn } = personAt(app)
const path = '/settings/codes'

const secretOf = (page: string) => /name="secret" value="([A-Z2-7]+)"/.exec(page)?.[1] ?? ''
const recoveryCodes = (page: string) =>
  [...page.matchAll(/<li><code>([a-z2-7-]{19})<\/code>/g)].map(([, code = '']) => code)

/** A code of the app; each call is a new step of time, since a code works once. */
function codeOf(secret: string): string {
  clock.tick(30_000)
  return totpAt(decodeBase32(secret) ?? Buffer.alloc(0), clock.now())
}

/** Somebody with one-time codes, and the answer that enrolled them. */
async function enrolled() {
  const me = await make.person()
  const cookie = await signIn(me.name)
  const secret = secretOf((await get(path, cookie)).text)
  const fields = { action: 'enrol', secret, code: codeOf(secret), current: samePassword }
  const answered = await post(path, fields, cookie)
  assert.equal(answered.status, 200)
  return { me, cookie, secret, fields, answered, codes: recoveryCodes(answered.text) }
}

/** What an app reads from the picture of the page. */
function scanned(page: string): string | undefined {
  const size = Number(/class="qr" viewBox="0 0 (\d+) /.exec(page)?.[1])
  const pixels = new Uint8ClampedArray((4 * size) ** 2 * 4).fill(255)
  for (const [, x, y, width] of page.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let row = 4 * Number(y); row < 4 * Number(y) + 4; row++) {
      const start = 4 * (row * 4 * size + 4 * Number(x))
      for (let at = start; at < start + 16 * Number(width); at++) if (at % 4 !== 3) pixels[at] = 0
    }
  return jsQR(pixels, 4 * size, 4 * size)?.data
}

const statusOf = (me: Somebody, code: string) =>
  post('/login', { user: me.name, password: samePassword, code }).then(({ status }) => status)
const actions = async ({ name }: Somebody) => {
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { target: name } })
  return body.entries.map(({ action, details }: { action: string; details: object }) => [action, details])
}

test('POST /settings/codes enrols: this session goes on, others end, and signing in takes a code', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  const others = [await signIn(me.name), await signIn('', await make.token(me))]
  const page = (await get(path, cookie)).text
  const secret = secretOf(page)
  assert.ok(page.includes(`otpauth://totp/Forgehall:${me.name}?secret=${secret}&amp;issuer=Forgehall`))
  assert.equal(
    scanned(page),
    `otpauth://totp/Forgehall:${me.name}?secret=${secret}&issuer=Forgehall&algorithm=SHA1&digits=6&period=30`,
  )
  assert.ok(page.includes(secret.replace(/.{4}(?=.)/g, '$& ')))
  const code = codeOf(secret)
  const answered = await post(path, { action: 'enrol', secret, code, current: samePassword }, cookie)
  assert.equal(answered.status, 200)
  assert.equal(answered.headers.get('cache-control'), 'private, no-store')
  const codes = recoveryCodes(answered.text)
  assert.equal(new Set(codes).size, 10)
  for (const other of others) assert.equal((await get('/settings', other)).status, 303)
  const after = (await get(path, cookie)).text
  assert.match(after, /10 recovery codes are left/)
  assert.ok(!codes.some((each) => after.includes(each)) && !after.includes(secret), 'they are shown once')
  assert.equal(await statusOf(me, ''), 401)
  assert.equal(await statusOf(me, code), 401, 'the code that enrolled is used')
  assert.equal(await statusOf(me, codeOf(secret)), 303)
  assert.deepEqual((await actions(me)).at(-1), ['user.totp_enrolled', {}])
  const lines = JSON.stringify(log.lines())
  for (const each of [secret, ...codes]) assert.ok(!lines.includes(each), 'no log holds them')
  const [stored] = await pool<{ text: string }[]>`
    select coalesce(string_agg(recovery_code::text, ''), '') as text from forge.recovery_code`
  assert.ok(
    !codes.some((each) => stored?.text.includes(each.replaceAll('-', ''))),
    'they are stored as hashes',
  )
})

test('POST /settings/codes enrols nobody with a wrong code, password or secret', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  const secret = secretOf((await get(path, cookie)).text)
  const code = codeOf(secret)
  const right = { action: 'enrol', secret, code, current: samePassword }
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  for (const [field, fields] of [
    ['code', { ...right, code: wrong }],
    ['code', { ...right, code: '' }],
    ['current', { ...right, current: 'wrong' }],
    [undefined, { ...right, secret: 'AAAA' }],
    [undefined, { ...right, secret: '<b>' }],
    [undefined, { action: 'disable', current: samePassword }],
    [undefined, { action: 'renew', current: samePassword }],
  ] as const) {
    const answered = await post(path, fields, cookie)
    assert.deepEqual([answered.status, focused(answered.text)], [422, field])
    if (field) assert.equal(secretOf(answered.text), secret, 'the app keeps its secret')
  }
  assert.equal(await statusOf(me, ''), 303)
  assert.deepEqual(await actions(me), [])
})

test('a recovery code takes the place of a one-time code once, also for the API', async () => {
  const { me, cookie, codes } = await enrolled()
  const [first = '', second = '', third = ''] = codes
  assert.equal(await statusOf(me, first), 303)
  assert.equal(await statusOf(me, first), 401)
  assert.equal(await statusOf(me, ` ${second.toUpperCase().replaceAll('-', ' ')} `), 303)
  const ask = async () =>
    (await call('GET /api/v1/user', { as: basic(me.name), headers: { 'x-gitea-otp': third } })).status
  assert.deepEqual([await ask(), await ask()], [200, 401])
  assert.match((await get(path, cookie)).text, /7 recovery codes are left/)
  const both = await Promise.all([statusOf(me, codes[3] ?? ''), statusOf(me, codes[3] ?? '')])
  assert.deepEqual(both.sort(), [303, 401])
  assert.deepEqual((await actions(me))[0], ['user.recovery_code_used', { left: 6 }])
  const other = await enrolled()
  assert.equal(await statusOf(other.me, codes[5] ?? ''), 401, 'a code of somebody else')
})

test('a recovery code is not used up by a wrong password', async () => {
  const { me, codes } = await enrolled()
  const [code = ''] = codes
  assert.equal((await post('/login', { user: me.name, password: 'wrong', code })).status, 401)
  assert.equal(await statusOf(me, code), 303)
})

test('POST /settings/codes makes new recovery codes with password and code; earlier ones end', async () => {
  const { me, cookie, secret, codes } = await enrolled()
  const other = await signIn(me.name, samePassword, codes[1])
  for (const fields of [
    { current: samePassword, code: '' },
    { current: 'wrong', code: codeOf(secret) },
    { current: samePassword, code: codes[1] ?? '' },
  ]) {
    const answered = await post(path, { action: 'renew', ...fields }, cookie)
    assert.deepEqual([answered.status, focused(answered.text)], [422, 'current'])
  }
  clock.tick(3_600_000)
  const made = await post(path, { action: 'renew', current: samePassword, code: codeOf(secret) }, cookie)
  assert.equal(made.status, 200)
  const fresh = recoveryCodes(made.text)
  assert.equal(fresh.length, 10)
  assert.equal(await statusOf(me, codes[0] ?? ''), 401)
  assert.equal(await statusOf(me, fresh[0] ?? ''), 303)
  assert.equal((await get('/settings', other)).status, 200, 'no session ends')
  assert.ok((await actions(me)).some(([action]: [string]) => action === 'user.recovery_codes_made'))
})

test('POST /settings/codes ends one-time codes with password and code, or with a recovery code', async () => {
  for (const withRecovery of [false, true]) {
    const { me, cookie, secret, codes, fields } = await enrolled()
    const other = await signIn(me.name, samePassword, codeOf(secret))
    assert.equal((await post(path, fields, cookie)).status, 422, 'enrolled already')
    const code = withRecovery ? (codes[0] ?? '') : codeOf(secret)
    const wrong = await post(path, { action: 'disable', current: samePassword, code: '000000' }, cookie)
    assert.equal(wrong.status, 422)
    clock.tick(30_000)
    const ended = await post(
      path,
      { action: 'disable', current: samePassword, code: withRecovery ? code : codeOf(secret) },
      cookie,
    )
    assert.deepEqual([ended.status, ended.location], [303, `${root}settings/codes?done=1`])
    assert.deepEqual([(await get(path, cookie)).status, (await get(path, other)).status], [200, 303])
    assert.equal(await statusOf(me, ''), 303)
    assert.equal((await actions(me))[0]?.[0], 'user.totp_removed')
    const left = await pool`select from forge.recovery_code where account_id = ${me.id}`
    assert.equal(left.count, 0)
  }
})

test('POST /settings/password of somebody with one-time codes takes a code, too', async () => {
  const { me, cookie, secret } = await enrolled()
  const password = 'another long password'
  const fields = { current: samePassword, password, repeated: password }
  const without = await post('/settings/password', fields, cookie)
  assert.deepEqual([without.status, focused(without.text)], [422, 'current'])
  const changed = await post('/settings/password', { ...fields, code: codeOf(secret) }, cookie)
  assert.equal(changed.status, 303)
  assert.equal((await get('/settings', cookie)).status, 200)
  await signIn(me.name, password, codeOf(secret))
})
