import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../../src/db/open.ts'
import { createPasswords } from '../../../src/forge/auth/password.ts'
import { upsertPassword } from '../../../src/forge/auth/password-store.ts'
import { totpAt } from '../../../src/forge/auth/totp.ts'
import { upsertTotp } from '../../../src/forge/auth/totp-store.ts'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import {
  basic,
  cheapPasswords,
  makersFor,
  type Somebody,
  samePassword,
  testSecrets,
} from '../../support/forge/make.ts'
import { requestContexts } from '../../support/request-context.ts'

/** Two servers that share nothing but a database. */
const database = await openTestDatabase()
const ownPool = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 5 })
const left = await serveApp(database)
const right = await serveApp({ ...database, pool: ownPool })
after(async () => {
  await Promise.all([left.close(), right.close()])
  if (ownPool !== database.pool) await ownPool.end({ timeout: 5 })
  await database.close()
})
const make = makersFor(left)
const { begin } = make
const boss = await make.admin({ name: 'boss' })
const secret = Buffer.from('12345678901234567890')
const step = 30_000

const tick = (ms: number) => {
  for (const { clock } of [left, right]) clock.tick(ms)
}
const rightCode = (ms = 0) => totpAt(secret, new Date(left.clock.now().getTime() + ms))

/** Codes that are wrong now, one after the other. */
function* wrongCodes(): Generator<string> {
  for (let number = 0; ; number++) {
    const code = String(number).padStart(6, '0')
    if (![-step, 0, step].some((ms) => rightCode(ms) === code)) yield code
  }
}

async function enrolled(): Promise<Somebody> {
  const made = await make.person()
  await begin((tx) => upsertTotp(tx, testSecrets, made.id, secret))
  return made
}

let addresses = 0

/** Signs in with a code, each time from another address. */
async function signIn(server: typeof left, { name }: Somebody, code?: string, password = samePassword) {
  const address = `10.1.${(addresses >> 8) & 255}.${addresses & 255}`
  addresses++
  const headers = { 'x-forwarded-for': address, ...(code !== undefined && { 'x-gitea-otp': code }) }
  const { status } = await server.call('GET /api/v1/user', { as: basic(name, password), headers })
  return status
}

async function trail({ name }: Somebody) {
  const query = { target: name, action: 'user.totp_failed', limit: 50 }
  return (await left.call('GET /api/v1/admin/audit', { as: boss, query })).body.entries
}

async function failTimes(times: number, who: Somebody): Promise<void> {
  const wrong = wrongCodes()
  for (let time = 0; time < times; time++)
    assert.equal(await signIn(time % 2 ? left : right, who, wrong.next().value), 401)
}

test('of 200 wrong codes over 24 connections and two processes five are compared, and the right one not out of turn', async () => {
  const ada = await enrolled()
  const wrong = wrongCodes()
  let sent = 0
  let answered = 0
  const worker = async (server: typeof left) => {
    while (sent < 200) {
      sent++
      assert.equal(await signIn(server, ada, wrong.next().value), 401)
      answered++
      if (answered >= 5) assert.equal(await signIn(server, ada, rightCode()), 401, 'not out of turn')
    }
  }
  await Promise.all(Array.from({ length: 24 }, (_, index) => worker(index % 2 ? left : right)))
  assert.equal((await trail(ada)).length, 5)

  tick(step)
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, index) => signIn(index % 2 ? left : right, ada, wrong.next().value)),
  )
  assert.deepEqual([...new Set(answers)], [401])
  assert.equal((await trail(ada)).length, 6, 'one attempt in each further step')
  assert.equal(await signIn(left, ada, rightCode()), 401, 'this step is used up')
  tick(step)
  assert.equal(await signIn(right, ada, rightCode()), 200)
})

test('a right code starts the count anew', async () => {
  const ada = await enrolled()
  await failTimes(4, ada)
  assert.equal(await signIn(left, ada, rightCode()), 200)
  tick(step)
  await failTimes(4, ada)
  assert.equal(await signIn(right, ada, rightCode()), 200)
  tick(step)
  await failTimes(5, ada)
  assert.equal(await signIn(right, ada, rightCode()), 401)
  assert.equal((await trail(ada)).length, 13)
})

test('a code that was used before costs an attempt like a wrong one', async () => {
  const ada = await enrolled()
  const used = rightCode()
  assert.equal(await signIn(left, ada, used), 200)
  for (let time = 0; time < 5; time++) assert.equal(await signIn(right, ada, used), 401)
  tick(step)
  assert.equal(await signIn(left, ada, used), 401)
  assert.equal(await signIn(left, ada, rightCode()), 401)
})

for (const [what, code, password] of [
  ['a wrong password', '123456', 'a wrong password'],
  ['no code', undefined, samePassword],
  ['an empty code', '', samePassword],
  ['a code of five digits', '12345', samePassword],
  ['a code of seven digits', '1234567', samePassword],
  ['letters', 'abcdef', samePassword],
  ['a huge text', '1'.repeat(5000), samePassword],
] as const) {
  test(`${what} uses up no attempt`, async () => {
    const ada = await enrolled()
    for (let time = 0; time < 8; time++) assert.equal(await signIn(left, ada, code, password), 401)
    assert.equal(await signIn(right, ada, rightCode()), 200)
    assert.deepEqual(await trail(ada), [])
  })
}

test('the audit trail says whose code was wrong, from where and how often, and not the code', async () => {
  const ada = await enrolled()
  const [code = ''] = wrongCodes()
  const headers = { 'x-forwarded-for': '192.0.2.7', 'x-gitea-otp': code }
  await left.call('GET /api/v1/user', { as: basic(ada.name), headers })
  const [entry] = await trail(ada)
  assert.deepEqual(
    [entry.actor, entry.target, entry.address, entry.details],
    [
      { id: ada.id, name: ada.name },
      { kind: 'user', id: ada.id, name: ada.name },
      '192.0.2.7',
      { attempts: 1 },
    ],
  )
})

test('another enrolment, and another password, end what a guesser has used up', async () => {
  const ada = await enrolled()
  await failTimes(5, ada)
  await begin((tx) => upsertTotp(tx, testSecrets, ada.id, secret))
  assert.equal(await signIn(left, ada, rightCode()), 200)
  tick(step)
  await failTimes(5, ada)
  const record = await cheapPasswords.hash('another one')
  await begin((tx) => upsertPassword(tx, ada.id, record))
  tick(step)
  await failTimes(3, ada)
  assert.equal(await signIn(right, ada, rightCode(), 'another one'), 200)
})

test('the password of an account with one-time codes is checked each time, and is not remembered', async () => {
  let checks = 0
  const counting = createPasswords({ cost: { ln: 1, r: 1, p: 1 }, concurrency: 4, queue: 100 })
  const contextFor = requestContexts(left, {
    hash: counting.hash,
    verify: (...args) => {
      checks++
      return counting.verify(...args)
    },
  })
  const ask = async ({ name }: Somebody) => {
    const context = contextFor({ as: basic(name) })
    await context.tools.authenticator.authenticate(context).catch(() => {})
  }
  const plain = await make.person()
  for (let time = 0; time < 3; time++) await ask(plain)
  assert.equal(checks, 1, 'elsewhere it is')
  const ada = await enrolled()
  for (let time = 0; time < 3; time++) await ask(ada)
  assert.equal(checks, 4)
})

test('a clock that was an hour ahead does not lock users out when it is set back', async () => {
  const account = await enrolled()
  tick(3_600_000)
  assert.equal(await signIn(left, account, rightCode()), 200)
  const codes = wrongCodes()
  for (let attempt = 0; attempt < 5; attempt++)
    assert.equal(await signIn(left, account, codes.next().value), 401)
  tick(-3_600_000)
  const code = rightCode()
  assert.equal(await signIn(left, account, code), 200)
  assert.equal(await signIn(right, account, code), 401, 'it works once')
})
