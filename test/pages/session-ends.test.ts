import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTotpSecret } from '../../src/forge/auth/totp.ts'
import { deleteTotp, upsertTotp } from '../../src/forge/auth/totp-store.ts'
import { insertSession } from '../../src/pages/session-store.ts'
import { startApp } from '../support/app.ts'
import { makersFor, type Somebody, samePassword, testSecrets } from '../support/forge/make.ts'
import { browserOf, cookieOf } from './browser.ts'

const app = await startApp()
const { call, clock, pool, url } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })

let made = 0

/** Somebody with a private repository, a session of a password and one of a token; `seen`: which of them show it. */
async function visitor() {
  const me = await make.person({ name: `visitor${++made}` })
  await make.repository(me, { name: 'secret', is_private: true })
  const token = await make.token(me, 'all')
  const cookies = [
    await cookieOf(url, { user: me.name, password: samePassword }),
    await cookieOf(url, { password: token }),
  ]
  const seen = () =>
    Promise.all(
      cookies.map(
        async (cookie) => (await browserOf(url).statusOf(`/${me.name}/secret`, { cookie })) === 200,
      ),
    )
  assert.deepEqual(await seen(), [true, true])
  return { me, token, seen }
}

const edit = async ({ name }: Somebody, body: object) => {
  const literal = 'PATCH /api/v1/admin/users/{username}'
  assert.equal((await call(literal, { as: boss, params: { username: name }, body })).status, 200)
}
const enrol = ({ id }: Somebody) => make.begin((tx) => upsertTotp(tx, testSecrets, id, newTotpSecret()))
const release = ({ id }: Somebody) => make.begin((tx) => deleteTotp(tx, id))

/** What happens, what takes it back, and which sessions are left: of the password, of the token. */
const events: readonly [
  what: string,
  left: boolean[],
  happen: (me: Somebody, token: string) => unknown,
  undo?: (me: Somebody) => unknown,
][] = [
  [
    'the account is deactivated',
    [false, false],
    (me) => edit(me, { active: false }),
    (me) => edit(me, { active: true }),
  ],
  [
    'the account is prohibited',
    [false, false],
    (me) => edit(me, { prohibit_login: true }),
    (me) => edit(me, { prohibit_login: false }),
  ],
  [
    'the account must change its password',
    [false, false],
    (me) => edit(me, { must_change_password: true }),
    (me) => edit(me, { must_change_password: false }),
  ],
  ['the account is enrolled for one-time codes', [false, false], enrol, release],
  [
    'another password is set',
    [false, true],
    (me) => edit(me, { password: 'quite another one' }),
    (me) => edit(me, { password: samePassword }),
  ],
  [
    'the token is revoked',
    [true, false],
    (_, token) => call('DELETE /api/v1/token', { as: { authorization: `token ${token}` } }),
  ],
  ['a name is edited', [true, true], (me) => edit(me, { full_name: 'Somebody' })],
  [
    'an administrator is made',
    [true, true],
    (me) => edit(me, { admin: true }),
    (me) => edit(me, { admin: false }),
  ],
]

for (const [what, left, happen, undo] of events) {
  test(`when ${what}, sessions of password and token: ${left.map((is) => (is ? 'stay' : 'end')).join(' and ')}, for good`, async () => {
    const { me, token, seen } = await visitor()
    await happen(me, token)
    assert.deepEqual(await seen(), left)
    await undo?.(me)
    assert.deepEqual(await seen(), left, 'taken back')
  })
}

test('a session ends when its account enrols for one-time codes again, or turns them off', async () => {
  const { me, token } = await visitor()
  for (const change of [enrol, release]) {
    await enrol(me)
    const cookie = await cookieOf(url, { password: token })
    const status = () => browserOf(url).statusOf(`/${me.name}/secret`, { cookie })
    assert.equal(await status(), 200)
    clock.tick(1000)
    await change(me)
    assert.equal(await status(), 404)
  }
})

test('no session begins for an account that has changed since its password was checked', async () => {
  const { me } = await visitor()
  const begin = (has_totp: boolean) => {
    const expiresAt = new Date(clock.now().getTime() + 1000)
    const account = { id: me.id, has_totp }
    return insertSession(pool, {
      hash: `${made++}`.padStart(64, '0'),
      account,
      token: undefined,
      browser: 'a test',
      now: clock.now(),
      expiresAt,
    })
  }
  assert.equal(await begin(false), true)
  assert.equal(await begin(true), false)
  await enrol(me)
  assert.equal(await begin(false), false)
  await edit(me, { prohibit_login: true })
  assert.equal(await begin(true), false)
})
