import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { createPasswords, PASSWORD_DEFAULTS } from '../../../src/forge/auth/password.ts'
import { upsertPassword } from '../../../src/forge/auth/password-store.ts'
import { upsertTotp } from '../../../src/forge/auth/totp-store.ts'
import { serveApp, startApp } from '../../support/app.ts'
import { basic, samePassword, testSecrets } from '../../support/forge/make.ts'
import { requestContexts } from '../../support/request-context.ts'

const app = await startApp()
const { clock, database, make } = app
const { begin } = make
const showSelf = 'GET /api/v1/user'
const wrong = 'a wrong password'

let addresses = 0
/** An address that was not used before. */
const fresh = () => `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses++ & 255}`

async function signIn(login: string, from: string, password = samePassword, server = app) {
  return server.call(showSelf, { as: basic(login, password), headers: { 'x-forwarded-for': from } })
}

async function statusOf(...args: Parameters<typeof signIn>): Promise<number> {
  return (await signIn(...args)).status
}

/** Statuses of wrong sign-ins, one after the other. */
async function failing(times: number, login: string, from: string, password = wrong): Promise<number[]> {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push(await statusOf(login, from, password))
  return statuses
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status)

test('after ten failures of one address with one login it is 429, with the right password too', async () => {
  const { name } = await make.person()
  const from = fresh()
  assert.deepEqual(await failing(12, name, from), [...times(10, 401), 429, 429])
  const { status, headers, body } = await signIn(name, from)
  assert.equal(status, 429)
  assert.equal(headers.get('retry-after'), '30')
  const message = 'too many failed sign-ins, try again later'
  assert.deepEqual(body, { message, url: 'https://forgehall.example/api/swagger' })
  clock.tick(28_500)
  assert.equal((await signIn(name, from)).headers.get('retry-after'), '2')
  clock.tick(1500)
  assert.deepEqual(await failing(2, name, from), [401, 429])
  clock.tick(30_000)
  assert.equal(await statusOf(name, from), 200)
  assert.deepEqual(await failing(11, name, from), [...times(10, 401), 429], 'the count has started anew')
})

test('failures with a login from one address block neither its owner elsewhere nor others there', async () => {
  const [ada, bob] = [await make.person(), await make.person()]
  const from = fresh()
  await failing(11, ada.name, from)
  assert.equal(await statusOf(ada.name, fresh()), 200)
  assert.equal(await statusOf(bob.name, from), 200)
})

test('a password that is remembered is refused like any other while sign-ins are throttled', async () => {
  const { name } = await make.person()
  const from = fresh()
  assert.equal(await statusOf(name, from), 200)
  await failing(10, name, from)
  assert.equal(await statusOf(name, from), 429)
  assert.equal(await statusOf(name, fresh()), 200)
})

test('the answers do not tell whether there is an account, nor in what state it is', async () => {
  const withCodes = await make.person()
  await begin((tx) => upsertTotp(tx, testSecrets, withCodes.id, Buffer.alloc(20)))
  const prohibited = await make.person()
  await begin((tx) => updateAccount(tx, prohibited.id, { prohibit_login: true }))
  const bot = await make.bot()
  const plain = await make.person()
  for (const [login, password] of [
    [plain.name, wrong],
    [plain.name, ''],
    [plain.email, wrong],
    [withCodes.name, wrong],
    [withCodes.name, samePassword],
    [prohibited.name, samePassword],
    [bot.name, samePassword],
    ['nobody-at-all', wrong],
    ['nobody@example.org', wrong],
    ['x'.repeat(5000), wrong],
  ] as const) {
    const from = fresh()
    assert.deepEqual(await failing(11, login, from, password), [...times(10, 401), 429], login.slice(0, 50))
    const { headers } = await signIn(login, from, password)
    assert.equal(headers.get('retry-after'), '30')
  }
})

test('right sign-ins at the same time are all let in', async () => {
  const { name } = await make.person()
  const from = fresh()
  const answers = await Promise.all(Array.from({ length: 50 }, () => statusOf(name, from)))
  assert.deepEqual(answers, times(50, 200))
})

test('after thirty failures of one address it is 429 for logins that have not signed in there', async () => {
  const [known, other] = [await make.person(), await make.person()]
  const from = fresh()
  assert.equal(await statusOf(known.name, from), 200)
  for (let number = 0; number < 30; number++)
    assert.deepEqual(await failing(1, `made-up-${number}`, from), [401])
  const { status, headers } = await signIn(other.name, from)
  assert.deepEqual([status, headers.get('retry-after')], [429, '10'])
  assert.equal(await statusOf(known.name, from), 200)
  assert.equal(await statusOf(other.name, fresh()), 200)
  clock.tick(10_000)
  assert.equal(await statusOf(other.name, from), 200)
})

test('addresses of one IPv6 network of 64 bits are one, and those of another are not', async () => {
  const { name } = await make.person()
  for (let number = 0; number < 10; number++)
    assert.equal(await statusOf(name, `2001:db8:0:1::${number}`, wrong), 401)
  assert.equal(await statusOf(name, '2001:db8:0:1:ffff::1'), 429)
  assert.equal(await statusOf(name, '2001:db8:0:2::1'), 200)
})

test('a login that fails from a hundred addresses stays open to its owner, and less to others', async () => {
  const { name } = await make.person()
  const home = fresh()
  assert.equal(await statusOf(name, home), 200)
  const attackers = Array.from({ length: 100 }, fresh)
  for (const from of attackers) assert.equal(await statusOf(name, from, wrong), 401)
  assert.deepEqual(await failing(3, name, attackers[0] ?? ''), [401, 401, 429])
  assert.equal(await statusOf(name, fresh()), 200, 'from an address that was never seen')
  assert.deepEqual(await failing(11, name, home), [...times(10, 401), 429], 'from an address that is known')
})

test('whoever is throttled does not reach the database', async () => {
  const context = requestContexts(app)({ as: basic('nobody-there', wrong) })
  const { authenticator } = context.tools
  const authenticate = () => authenticator.authenticate(context)
  for (let time = 0; time < 10; time++) await assert.rejects(authenticate, { status: 401 })
  const unreachable = new Proxy(context.sql, { apply: () => assert.fail('asked') })
  await assert.rejects(authenticator.authenticate({ ...context, sql: unreachable }), { status: 429 })
})

test('access tokens are not throttled', async () => {
  const { name, token, authorization } = await make.person()
  const from = fresh()
  await failing(11, name, from)
  const headers = { 'x-forwarded-for': from }
  for (const as of [{ authorization }, basic(name, token), basic(token, '')])
    assert.equal((await app.call(showSelf, { as, headers })).status, 200)
})

test('git, packages and open operations are throttled alike', async () => {
  const { name } = await make.person()
  const from = fresh()
  await failing(10, name, from)
  const context = { as: basic(name), headers: { 'x-forwarded-for': from } }
  for (const [literal, params] of [
    ['GET /{owner}/{repo}/info/refs', { owner: name, repo: 'any' }],
    ['GET /api/packages/{owner}/npm/-/whoami', { owner: name }],
    ['GET /api/v1/version', {}],
  ] as const) {
    const { status, headers } = await app.call(literal, { ...context, params })
    assert.deepEqual([status, headers.get('retry-after')], [429, '30'], literal)
  }
})

test('the log says which network is throttled, and neither login nor password', async () => {
  const from = fresh()
  await failing(12, 'the-typed-login', from, 'the typed password')
  const lines = app.log
    .lines()
    .filter(({ message, network }) => message === 'sign-in throttled' && network === from)
  assert.deepEqual(
    lines.map(({ level, limit }) => [level, limit]),
    [['warn', 'network and login']],
  )
  assert.doesNotMatch(JSON.stringify(app.log.lines()), /the-typed-login|the typed password/)
})

test('an address that the client writes itself does not count where no proxy is trusted', async () => {
  const other = await serveApp(database, { TRUST_PROXY: 'none' })
  try {
    for (let number = 0; number < 10; number++)
      assert.equal(await statusOf('nobody', fresh(), wrong, other), 401)
    assert.equal(await statusOf('nobody', fresh(), wrong, other), 429)
  } finally {
    await other.close()
  }
})

test('while 80 connections send wrong passwords, right ones from elsewhere are let in', async () => {
  const slow = createPasswords({ ...PASSWORD_DEFAULTS, cost: { ln: 12, r: 8, p: 1 } })
  const server = await serveApp(database, {}, slow)
  try {
    const record = await slow.hash(samePassword)
    const people = await Promise.all(Array.from({ length: 4 }, () => make.person()))
    await begin(async (tx) => {
      for (const { id } of people) await upsertPassword(tx, id, record)
    })
    const attacker = fresh()
    const attack = async (number: number) => {
      const { name = '' } = people[number % people.length] ?? {}
      const first = await statusOf(name, attacker, `guess ${number}`, server)
      return [first, await statusOf(name, attacker, `another ${number}`, server)]
    }
    const attacks = Promise.all(Array.from({ length: 80 }, (_, number) => attack(number)))
    for (const { name } of people) assert.equal(await statusOf(name, fresh(), samePassword, server), 200)
    const refusals = (await attacks).flat()
    const compared = refusals.filter((status) => status === 401).length
    assert.ok(
      compared > 0 && compared <= 30 + PASSWORD_DEFAULTS.concurrency,
      `${compared} guesses were compared`,
    )
    assert.equal(refusals.filter((status) => status === 429).length, 160 - compared)
  } finally {
    await server.close()
  }
})
