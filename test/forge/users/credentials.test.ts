import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTotpSecret } from '../../../src/forge/auth/totp.ts'
import { upsertTotp } from '../../../src/forge/auth/totp-store.ts'
import { startApp } from '../../support/app.ts'
import { basic, makersFor, samePassword, testSecrets } from '../../support/forge/make.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })
const link = 'POST /api/v1/admin/users/{username}/password-link'
const totp = 'DELETE /api/v1/admin/users/{username}/totp'
const at = (username: string) => ({ as: boss, params: { username } })

test('POST /api/v1/admin/users/{username}/password-link is for people only', async () => {
  await make.organization(boss, { name: 'org' })
  await make.bot({ name: 'robot' })
  const expected = { ada: 201, org: 422, robot: 422, 'gitea-actions': 422, nobody: 404 }
  for (const [name, status] of Object.entries(expected))
    assert.equal((await call(link, at(name))).status, status, name)
  const { body } = await call(link, at('ada'))
  assert.match(body.url, /^https:\/\/forgehall\.example\/login\/password\?link=[\w-]{43}$/)
  const lifetime = Date.parse(body.expires_at) - app.clock.now().getTime()
  assert.ok(Math.abs(lifetime - 3_600_000) < 1000)
  assert.equal((await call(link, { ...at('ada'), as: ada })).status, 403)
  assert.equal(
    (await call('GET /api/v1/user', { as: basic('ada', samePassword) })).status,
    200,
    'the password stays',
  )
})

test('DELETE /api/v1/admin/users/{username}/totp lets a user sign in without codes', async () => {
  assert.equal((await call(totp, at('ada'))).status, 404)
  await make.begin((tx) => upsertTotp(tx, testSecrets, ada.id, newTotpSecret()))
  const signIn = async () => (await call('GET /api/v1/user', { as: basic('ada', samePassword) })).status
  assert.equal(await signIn(), 401)
  assert.equal((await call(totp, { ...at('ada'), as: ada })).status, 403)
  assert.equal((await call(totp, at('ada'))).status, 204)
  assert.equal(await signIn(), 200)
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { target: 'ada' } })
  assert.equal(body.entries[0].action, 'user.totp_removed')
  assert.equal((await call(totp, at('nobody'))).status, 404)
})
