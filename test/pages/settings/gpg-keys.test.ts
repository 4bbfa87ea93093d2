import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { GPG_KEY, GPG_KEY_ID, signedByGpgKey } from '../../support/forge/gpg-key.fixtures.ts'
import { makersFor } from '../../support/forge/make.ts'
import { hostile } from '../browser.ts'
import { focused, personAt } from '../person.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const { get, post, signIn } = personAt(app)

test('POST /settings/gpg_keys adds a key, verifies it and deletes it', async () => {
  const me = await make.person({ email: 'ada@example.com' })
  const cookie = await signIn(me.name)
  const change = (fields: Record<string, string>, as = cookie) => post('/settings/gpg_keys', fields, as)
  const add = (key: string, signature = '') =>
    change({ action: 'add', armored_public_key: key, armored_signature: signature })
  for (const text of ['', 'nonsense', ...hostile]) {
    const answered = await add(text)
    assert.deepEqual([answered.status, focused(answered.text)], [422, 'armored_public_key'], text)
  }
  assert.equal((await add(GPG_KEY.replaceAll('\n', '\r\n'))).status, 303)
  const page = await get('/settings/gpg_keys', cookie)
  assert.ok(page.text.includes(GPG_KEY_ID) && page.text.includes('ada@example.com'))
  assert.doesNotMatch(page.text, /badge good/)
  const [, token = ''] = /echo ([0-9a-f]{64}) \|/.exec(page.text) ?? []
  const verify = (key_id: string, armored_signature: string) =>
    change({ action: 'verify', key_id, armored_signature })
  assert.equal(focused((await verify('', '')).text), 'key_id')
  for (const wrong of ['', 'x', signedByGpgKey('x'), ...hostile])
    assert.equal(focused((await verify(GPG_KEY_ID, wrong)).text), 'armored_signature')
  assert.equal((await verify(GPG_KEY_ID, signedByGpgKey(`${token}\n`))).status, 303)
  assert.match((await get('/settings/gpg_keys', cookie)).text, /badge good/)
  const [stored] = (await call('GET /api/v1/user/gpg_keys', { as: me })).body
  const others = await signIn((await make.person()).name)
  const deletion = { action: 'delete', id: String(stored.id) }
  assert.equal((await change(deletion, others)).status, 422)
  assert.equal((await change({ action: 'x' })).status, 400)
  assert.equal((await change(deletion)).status, 303)
  assert.deepEqual((await call('GET /api/v1/user/gpg_keys', { as: me })).body, [])
})
