import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { GPG_KEY, GPG_KEY_ID, signedByGpgKey } from '../../support/forge/gpg-key.fixtures.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { gnupg, withoutGpg } from '../../support/processes/gpg.ts'

const LIST = 'GET /api/v1/user/gpg_keys'
const LIST_OF = 'GET /api/v1/users/{username}/gpg_keys'
const SHOW = 'GET /api/v1/user/gpg_keys/{id}'
const ADD = 'POST /api/v1/user/gpg_keys'
const REMOVE = 'DELETE /api/v1/user/gpg_keys/{id}'
const TOKEN = 'GET /api/v1/user/gpg_key_token'
const VERIFY = 'POST /api/v1/user/gpg_key_verify'

const { call, url, clock, make, pool } = await startApp()
const gpg = gnupg()
const options = { skip: withoutGpg }

const token = async (as: Somebody): Promise<string> => {
  const { status, body } = await call(TOKEN, { as })
  assert.equal(status, 200)
  return body
}
const add = (as: Somebody, armored_public_key: string, armored_signature = '') =>
  call(ADD, { as, body: { armored_public_key, armored_signature } })
const show = (as: Somebody, id: number) => call(SHOW, { as, params: { id } })
const verify = (as: Somebody, key_id: string, armored_signature: string) =>
  call(VERIFY, { as, body: { key_id, armored_signature } })
const rows = async () => (await pool`select id from forge.gpg_key`).length

test(`${ADD}, ${SHOW}, ${LIST} and ${LIST_OF} answer with a key and its subkeys`, options, async () => {
  const ada = await make.person({ email: 'ada@keys.example' })
  const fingerprint = gpg.make('Ada <Ada@keys.example>', 'ed25519', 'sign', '1y')
  gpg.run('--quick-add-uid', fingerprint, 'Ada <other@keys.example>')
  gpg.run('--quick-add-key', fingerprint, 'ed25519', 'sign', '2y')
  gpg.run('--quick-add-key', fingerprint, 'cv25519', 'encr')
  const { status, body } = await add(ada, gpg.exported(fingerprint))
  assert.equal(status, 201, JSON.stringify(body))
  const [, created, ends] =
    /^pub:(?:[^:]*:){4}(\d+):(\d+):/m.exec(gpg.run('--with-colons', '--list-keys')) ?? []
  const timeOf = (seconds = '') => `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`
  const { subkeys, public_key, emails, id, ...rest } = body
  assert.deepEqual(rest, {
    primary_key_id: '',
    key_id: fingerprint.slice(-16),
    can_sign: true,
    can_encrypt_comms: false,
    can_encrypt_storage: false,
    can_certify: true,
    verified: false,
    created_at: timeOf(created),
    expires_at: timeOf(ends),
  })
  assert.deepEqual(
    emails.toSorted((a: { email: string }, b: { email: string }) => (a.email < b.email ? -1 : 1)),
    [
      { email: 'Ada@keys.example', verified: true },
      { email: 'other@keys.example', verified: false },
    ],
  )
  assert.equal(Buffer.from(public_key, 'base64')[0], 4)
  const [signing, encrypting] = subkeys
  assert.deepEqual(
    [
      signing.primary_key_id,
      signing.can_sign,
      signing.subkeys,
      encrypting.can_sign,
      encrypting.can_encrypt_comms,
    ],
    [rest.key_id, true, null, false, true],
  )
  assert.equal(encrypting.expires_at, '1970-01-01T00:00:00Z')
  assert.deepEqual((await show(ada, id)).body, body)
  const listed = await call(LIST, { as: ada })
  assert.deepEqual([listed.body, listed.headers.get('x-total-count')], [[body], '1'])
  const eve = await make.person()
  assert.deepEqual((await call(LIST_OF, { as: eve, params: { username: ada.name } })).body, [body])
  assert.deepEqual((await call(LIST, { as: eve })).body, [])

  const text = await (await fetch(`${url}/${ada.name}.gpg`)).text()
  assert.deepEqual(gnupg().imported(text), [fingerprint])
})

test(`${ADD} refuses what is no public key, and one that somebody has`, options, async () => {
  const ada = await make.person({ email: 'ada2@keys.example' })
  const fingerprint = gpg.make('<ada2@keys.example>')
  const key = gpg.exported(fingerprint)
  const before = await rows()
  const secret = gpg.run('--armor', '--export-secret-keys', fingerprint)
  const second = gpg.exported(gpg.make('<second@keys.example>'))
  for (const text of [
    '',
    'x',
    'ssh-ed25519 AAAA',
    secret,
    `${key}${second}`,
    key.replace('BLOCK', 'BLACK'),
  ]) {
    const { status, body } = await add(ada, text)
    assert.deepEqual([status, body.message.includes(secret.slice(100, 140))], [422, false], text)
  }
  assert.equal(await rows(), before)
  assert.equal((await add(ada, key)).status, 201)
  const again = await add(ada, key)
  assert.deepEqual([again.status, again.body.message], [422, 'A key with the same id already exists'])
  const twice = await Promise.all([add(ada, second, ''), add(ada, second, '')])
  assert.deepEqual(
    twice.map(({ status }) => status),
    [404, 404],
  )
})

test(`${ADD} takes a key without an address of the caller if the key signed the token`, options, async () => {
  const [ada, eve] = [await make.person(), await make.person()]
  const fingerprint = gpg.make('nobody@keys.example')
  const key = gpg.exported(fingerprint)
  const { status, body } = await add(ada, key)
  assert.equal(status, 404)
  assert.ok(body.message.endsWith(await token(ada)), body.message)
  for (const wrong of ['x', gpg.sign(fingerprint, 'x'), gpg.sign(fingerprint, await token(eve))])
    assert.equal((await add(ada, key, wrong)).status, 422)
  const stale = gpg.sign(fingerprint, await token(ada))
  clock.tick(20 * 60_000)
  assert.equal((await add(ada, key, stale)).status, 422)
  const [one, other] = [
    gpg.sign(fingerprint, `${await token(ada)}\n`),
    gpg.sign(fingerprint, await token(eve)),
  ]
  const answers = await Promise.all([add(ada, key, one), add(eve, key, other)])
  assert.deepEqual(answers.map((each) => each.status).toSorted(), [201, 422])
  assert.equal(answers.find((each) => each.status === 201)?.body.verified, true)
})

test(`${VERIFY} records that the caller has the key, or a subkey of it`, options, async () => {
  const [ada, eve] = [await make.person({ email: 'ada3@keys.example' }), await make.person()]
  const fingerprint = gpg.make('<ada3@keys.example>', 'ed25519', 'cert')
  gpg.run('--quick-add-key', fingerprint, 'ed25519', 'sign')
  const { body: key } = await add(ada, gpg.exported(fingerprint))
  assert.deepEqual([key.verified, key.can_sign], [false, false])
  const signature = gpg.sign(fingerprint, await token(ada))
  const [subkey] = key.subkeys
  assert.equal((await verify(eve, key.key_id, signature)).status, 404)
  assert.equal((await verify(ada, '0', signature)).status, 404)
  assert.equal((await verify(ada, '', signature)).status, 422)
  for (const wrong of ['', gpg.sign(fingerprint, 'x')])
    assert.equal((await verify(ada, key.key_id, wrong)).status, 422)
  assert.equal((await show(ada, key.id)).body.verified, false)
  for (const id of [subkey.key_id.toLowerCase(), key.key_id]) {
    const answer = await verify(ada, id, signature)
    assert.deepEqual([answer.status, answer.body], [201, { ...key, verified: true }])
  }
  const deeds = await pool<{ action: string }[]>`
    select action from forge.audit where action like 'gpg_key.%' and target_name = ${ada.name} order by id`
  assert.deepEqual(
    deeds.map(({ action }) => action),
    ['gpg_key.added', 'gpg_key.verified'],
  )
})

test(`${REMOVE} deletes a key of the caller with its subkeys, once`, async () => {
  const [ada, eve] = [await make.person({ email: 'ada@example.com' }), await make.person()]
  const before = await rows()
  const { status, body } = await add(ada, GPG_KEY)
  assert.equal(status, 201)
  const proved = await verify(ada, GPG_KEY_ID, signedByGpgKey(await token(ada)))
  assert.deepEqual([proved.status, proved.body.verified], [201, true])
  const remove = (as: Somebody) => call(REMOVE, { as, params: { id: body.id } })
  for (const literal of [SHOW, REMOVE])
    assert.equal((await call(literal, { as: eve, params: { id: body.id } })).status, 404)
  const [one, other] = await Promise.all([remove(ada), remove(ada)])
  assert.deepEqual([one.status, other.status].toSorted(), [204, 404])
  assert.equal((await show(ada, body.id)).status, 404)
  assert.equal(await rows(), before)
  assert.equal((await call('GET /{username}.gpg', { params: { username: 'nobody-here' } })).status, 404)
})
