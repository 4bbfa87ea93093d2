import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginOn } from '../../../src/db/begin.ts'
import type { PasswordClass } from '../../../src/forge/auth/password-rules.ts'
import { newToken } from '../../../src/forge/auth/token.ts'
import { type AdminDraft, ensureAdministrator } from '../../../src/forge/users/first-admin.ts'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { basic, bearer, cheapPasswords, makersFor, samePassword } from '../../support/forge/make.ts'

const none: AdminDraft = { username: undefined, email: undefined, password: undefined, token: undefined }

/** An empty forge, and what starting it with a wish does. */
async function emptyForge() {
  const database = await openTestDatabase()
  const app = await serveApp(database)
  after(async () => {
    await app.close()
    await database.close()
  })
  const begin = beginOn(app.pool, app.clock.now)
  const start = (
    input: Partial<AdminDraft> = {},
    beforeMaking = async () => {},
    classes: readonly PasswordClass[] = [],
  ) =>
    ensureAdministrator({
      pool: app.pool,
      begin,
      passwords: cheapPasswords,
      input: { ...none, ...input },
      passwordRules: { minLength: 8, classes },
      root: 'https://forgehall.example/',
      beforeMaking,
    })
  const countAdmins = async () => (await app.pool`select id from forge.account where is_admin`).length
  return { ...app, ...makersFor(app), start, countAdmins }
}

test('without configuration, one administrator with a new password is created', async () => {
  const { start, call, countAdmins } = await emptyForge()
  const made = await start()
  assert.equal(made?.name, 'administrator')
  assert.match(made?.password ?? '', /^[\w-]{20}$/)
  const { body } = await call('GET /api/v1/user', { as: basic('administrator', made?.password) })
  assert.deepEqual([body.is_admin, body.email], [true, 'administrator@noreply.forgehall.example'])
  assert.equal(await start(), undefined)
  assert.equal(await countAdmins(), 1)
})

test('of many that start at once one makes the administrator', async () => {
  const { start, countAdmins } = await emptyForge()
  const made = await Promise.all(Array.from({ length: 8 }, () => start()))
  assert.equal(made.filter(Boolean).length, 1)
  assert.equal(await countAdmins(), 1)
})

test('a configured administrator has its name, address, password and token; the password is not returned', async () => {
  const { start, call } = await emptyForge()
  const token = newToken()
  const input = { username: 'Root', email: 'root@example.org', password: 'a wished password', token }
  assert.deepEqual(await start(input), { name: 'Root', password: undefined })
  const { body } = await call('GET /api/v1/user', { as: bearer(token) })
  assert.deepEqual([body.login, body.email, body.is_admin], ['Root', 'root@example.org', true])
  assert.equal((await call('GET /api/v1/user', { as: basic('root', 'a wished password') })).status, 200)
  const { body: audit } = await call('GET /api/v1/admin/audit', { as: bearer(token) })
  assert.equal(audit.entries[0].action, 'user.made_first_administrator')
  assert.equal(JSON.stringify(audit).includes('wished'), false)
})

test('a person who has the wished name becomes the administrator', async () => {
  const { start, call, person } = await emptyForge()
  await person({ name: 'ada' })
  await start({ username: 'Ada', password: 'another password' })
  assert.equal((await call('GET /api/v1/user', { as: basic('ada', 'another password') })).body.is_admin, true)
})

test('an invalid configuration creates no administrator', async () => {
  const { start, person, organization, countAdmins } = await emptyForge()
  await organization(await person(), { name: 'guild' })
  await assert.rejects(start({ username: 'guild' }), /not a person/)
  assert.equal(await countAdmins(), 0)
})

test('nothing is done while somebody administers', async () => {
  const { start, admin, call } = await emptyForge()
  await admin({ name: 'boss' })
  assert.equal(await start({ username: 'boss', password: 'other than before' }), undefined)
  assert.equal((await call('GET /api/v1/user', { as: basic('boss', samePassword) })).status, 200)
})

test('a password that breaks the rules is refused with the rule, and nothing is made', async () => {
  const { start, countAdmins } = await emptyForge()
  const startWith = (password: string) => start({ password }, undefined, ['lower', 'digit'])
  for (const short of ['short', ''])
    await assert.rejects(startWith(short), {
      message: 'ADMIN_PASSWORD must have at least 8 bytes (PASSWORD_MIN_LENGTH)',
    })
  await assert.rejects(startWith('LONGENOUGH'), {
    message: 'ADMIN_PASSWORD must also have: lower, digit (PASSWORD_CLASSES)',
  })
  assert.equal(await countAdmins(), 0)
  await startWith('long enough 1')
  assert.equal(await startWith('short'), undefined, 'it is not needed any more')
})

test('if the step before it fails, nothing is created', async () => {
  const { start, countAdmins } = await emptyForge()
  await assert.rejects(
    start({}, async () => {
      throw new Error('no port')
    }),
    /no port/,
  )
  assert.equal(await countAdmins(), 0)
})
