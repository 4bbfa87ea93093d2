import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase32 } from '../../src/forge/auth/base32.ts'
import { totpAt } from '../../src/forge/auth/totp.ts'
import { openHome, runBinary, serveHome } from '../support/binary.ts'
import { basic, bearer } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'

const { home, serving } = await serveHome({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' })

const admin = (...args: string[]) => runInProcess(['admin', ...args], home.environment)

async function self(as: { authorization: string }, headers: Record<string, string> = {}) {
  const response = await fetch(`${serving.url}/api/v1/user`, { headers: { ...as, ...headers } })
  return { status: response.status, body: (await response.json()) as { login: string; is_admin: boolean } }
}

test('the first administrator signs in with what the environment says, which nothing prints', async () => {
  assert.equal((await self(basic('root', 'wished for it'))).body.is_admin, true)
  assert.equal(JSON.stringify(serving.lines()).includes('wished'), false)
})

test('an ADMIN_USERNAME that the API would refuse is refused at start', async () => {
  const { code, err } = await runInProcess([], { ...home.environment, ADMIN_USERNAME: 'x'.repeat(41) })
  assert.deepEqual([code, err], [2, 'forgehall: ADMIN_USERNAME must have at most 40 characters\n'])
})

test('admin create makes an administrator and prints a password, which works at once', async () => {
  const { code, out, err } = await runBinary(['admin', 'create', 'grace'], home.environment)
  assert.deepEqual([code, err], [0, ''])
  const [, password] = /^grace is an administrator\npassword: (\S{20})\n$/.exec(out) ?? []
  assert.equal((await self(basic('grace', password))).body.is_admin, true)
  const again = await admin('create', 'grace')
  assert.deepEqual([again.code, again.out], [0, 'grace is an administrator\n'])
  assert.equal((await self(basic('grace', password))).status, 200, 'the password stays')
})

test('admin password changes a password at once', async () => {
  await admin('create', 'linus', '--password', 'the first one', '--email', 'linus@example.org')
  assert.equal((await self(basic('linus@example.org', 'the first one'))).status, 200)
  assert.equal(
    (await admin('password', 'LINUS', '--password', 'the second one')).out,
    'linus has a new password\n',
  )
  assert.equal((await self(basic('linus', 'the first one'))).status, 401)
  assert.equal((await self(basic('linus', 'the second one'))).status, 200)
})

test('admin token prints a token that works, with the scopes that were asked for', async () => {
  const { out } = await admin('token', 'root')
  assert.match(out, /^[0-9a-f]{40}\n$/)
  assert.equal((await self(bearer(out.trim()))).body.login, 'root')
  const narrow = await admin('token', 'root', '--name', 'narrow', '--scopes', 'read:admin')
  assert.equal((await self(bearer(narrow.out.trim()))).status, 403)
})

test('admin totp enrols, and a code is asked for with the password until it is removed', async () => {
  await admin('create', 'ada', '--password', 'with a code')
  const { out } = await admin('totp', 'ada')
  const [, secret = ''] =
    /^otpauth:\/\/totp\/Forgehall:ada\?secret=([A-Z2-7]{32})&.*\nsecret: \1\n$/.exec(out) ?? []
  const code = totpAt(decodeBase32(secret) ?? Buffer.alloc(0), new Date())
  assert.equal((await self(basic('ada', 'with a code'))).status, 401)
  assert.equal((await self(basic('ada', 'with a code'), { 'X-Gitea-OTP': code })).status, 200)
  assert.equal((await admin('totp', 'ada', '--remove')).out, 'ada needs no one-time codes\n')
  assert.equal((await self(basic('ada', 'with a code'))).status, 200)
})

test('admin create and admin password follow the rules on passwords that the server has', async () => {
  const rules = { ...home.environment, PASSWORD_MIN_LENGTH: '12', PASSWORD_CLASSES: 'digit' }
  const strict = await openHome()
  const ruled = { ...rules, ...strict.environment }
  const create = (password: string) =>
    runInProcess(['admin', 'create', 'root', '--password', password], ruled)
  assert.match((await create('eleven char')).err, /at least 12/)
  assert.match((await create('twelve chars')).err, /not complex enough/)
  assert.equal((await create('12 characters')).code, 0)
  const madeUp = await runInProcess(['admin', 'password', 'root'], ruled)
  assert.match(madeUp.out, /^password: \S{20}$/m)
})

test('admin list shows administrators', async () => {
  const { out } = await admin('list')
  assert.match(out, /^\d+ {2}root {2}\S+@\S+$/m)
})

test('what the commands did stands in the audit trail, without secrets', async () => {
  const response = await fetch(`${serving.url}/api/v1/admin/audit`, {
    headers: basic('root', 'wished for it'),
  })
  const text = await response.text()
  for (const action of [
    'user.made_first_administrator',
    'user.created',
    'user.password_changed',
    'token.created',
    'user.totp_enrolled',
  ]) {
    assert.ok(text.includes(`"${action}"`), action)
  }
  for (const secret of ['the first one', 'the second one', 'wished', 'scrypt'])
    assert.equal(text.includes(secret), false)
})

for (const [args, sentence] of [
  [['create'], /takes one name/],
  [['create', 'a', 'b'], /takes one name/],
  [['create', 'a b'], /must be valid/],
  [['create', 'api'], /reserved/],
  [['create', 'someone', '--password', 'short'], /at least 8/],
  [['create', 'someone', '--email', 'nonsense'], /not an e-mail address/],
  [['create', 'root', '--email', 'x@example.org'], /already exists/],
  [['password', 'nobody'], /there is no "nobody"/],
  [['token', 'root', '--scopes', 'read:everything'], /invalid access token scope/],
  [['token', 'root', '--scopes', ''], /must have a scope/],
  [
    ['create', 'someone', '--email', 'LINUS@example.org'],
    /e-mail already in use \[email: LINUS@example.org\]/,
  ],
  [['create', 'x'.repeat(41), '--email', 'long@example.org'], /at most 40 characters/],
  [['create', 'someone', '--password', 'x'.repeat(256)], /at most 255 characters/],
  [['password', 'root', '--password', 'x'.repeat(256)], /at most 255 characters/],
  [['token', 'root', '--name', 'narrow'], /"root" has a token "narrow" already/],
  [['token', 'root', '--name', ''], /must have a name/],
  [['token', 'gitea-actions'], /stays as it is/],
  [['totp', 'nobody'], /there is no "nobody"/],
] as const) {
  test(`admin ${args.join(' ')} is refused in one sentence`, async () => {
    const { code, out, err } = await runInProcess(['admin', ...args], home.environment)
    assert.notEqual(code, 0)
    assert.equal(out, '')
    assert.match(err, sentence)
    assert.equal(err.trim().split('\n').length, 1, err)
  })
}
