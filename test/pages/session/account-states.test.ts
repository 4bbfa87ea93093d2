import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRecoveryCodes } from '../../../src/forge/auth/recovery-code.ts'
import { newTotpSecret } from '../../../src/forge/auth/totp.ts'
import { storeRecoveryCodes, upsertTotp } from '../../../src/forge/auth/totp-store.ts'
import { EditUserOption } from '../../../src/forge/users/user.option.ts'
import { startApp } from '../../support/app.ts'
import { makersFor, type Somebody, samePassword, testSecrets } from '../../support/forge/make.ts'
import { root } from '../browser.ts'
import { hiddenIn } from '../managing.ts'
import { personAt } from '../person.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { get, post } = personAt(app)

const edit = async ({ name }: Somebody, body: object) => {
  const literal = 'PATCH /api/v1/admin/users/{username}'
  assert.equal((await call(literal, { as: boss, params: { username: name }, body })).status, 200)
}
const { codes, hashes } = newRecoveryCodes()
const enrol = async ({ id }: Somebody) => {
  await make.begin(async (tx) => {
    await upsertTotp(tx, testSecrets, id, newTotpSecret())
    await storeRecoveryCodes(tx, id, hashes)
  })
}
const forget = (me: Somebody) => edit(me, { password: 'nobody knows this one' })

/** Signs in with what the page asks for; gives whether that leads to one's settings. */
async function signsIn({ name }: Somebody, code = ''): Promise<boolean> {
  let answer = await post('/login', { user: name, password: samePassword })
  const step = () => hiddenIn(answer.text, 'step')
  if (answer.text.includes('name="code"')) answer = await post('/login', { step: step(), code })
  if (answer.text.includes('name="repeated"')) {
    const password = 'a password of my own'
    answer = await post('/login/password', { step: step(), password, repeated: password })
  }
  const cookie = answer.headers.get('set-cookie')?.split(';')[0]
  return cookie !== undefined && (await get('/settings', cookie)).status === 200
}

async function followLink({ name }: Somebody): Promise<void> {
  const literal = 'POST /api/v1/admin/users/{username}/password-link'
  const { body } = await call(literal, { as: boss, params: { username: name } })
  const link = body.url.slice(`${root}login/password?link=`.length)
  const { status } = await post('/login/password', { link, password: samePassword, repeated: samePassword })
  assert.equal(status, 303)
}

interface State {
  /** The member of `EditUserOption` that sets it. */
  member?: string
  enter: (me: Somebody) => unknown
  /** Whether a sign-in alone leaves the state, or is not kept from anything by it. */
  byOneself: boolean
  /** What an administrator does. */
  byAdministrator: (me: Somebody) => unknown
  /** A recovery code, which only one's own has. */
  code?: string
}

/** The states in which an account may not do what others may. `docs/operating.md` has them, too. */
const states: Readonly<Record<string, State>> = {
  'must change the password': {
    member: 'must_change_password',
    enter: (me) => edit(me, { must_change_password: true }),
    byOneself: true,
    byAdministrator: (me) => edit(me, { must_change_password: false }),
  },
  'has forgotten the password': { enter: forget, byOneself: false, byAdministrator: followLink },
  'has forgotten it, and must change it': {
    enter: (me) => edit(me, { password: 'nobody knows this one', must_change_password: true }),
    byOneself: false,
    byAdministrator: followLink,
  },
  'has no password': {
    enter: ({ id }) => app.pool`delete from forge.password where account_id = ${id}`,
    byOneself: false,
    byAdministrator: followLink,
  },
  'has lost the app': {
    enter: enrol,
    byOneself: true,
    code: codes[0] ?? '',
    byAdministrator: ({ name }) => removeCodes(name),
  },
  'has lost the app and the recovery codes': {
    enter: enrol,
    byOneself: false,
    byAdministrator: ({ name }) => removeCodes(name),
  },
  'may not sign in': {
    member: 'prohibit_login',
    enter: (me) => edit(me, { prohibit_login: true }),
    byOneself: false,
    byAdministrator: (me) => edit(me, { prohibit_login: false }),
  },
  'is inactive': {
    member: 'active',
    enter: (me) => edit(me, { active: false }),
    byOneself: false,
    byAdministrator: (me) => edit(me, { active: true }),
  },
  'is a bot': {
    member: 'type',
    enter: (me) => edit(me, { type: 'Bot' }),
    byOneself: false,
    byAdministrator: (me) => edit(me, { type: 'User' }),
  },
  'is restricted': {
    member: 'restricted',
    enter: (me) => edit(me, { restricted: true }),
    byOneself: true,
    byAdministrator: (me) => edit(me, { restricted: false }),
  },
}

const removeCodes = async (username: string) => {
  const literal = 'DELETE /api/v1/admin/users/{username}/totp'
  assert.equal((await call(literal, { as: boss, params: { username } })).status, 204)
}

for (const [name, { enter, byOneself, byAdministrator, code }] of Object.entries(states)) {
  test(`an account that ${name} is ${byOneself ? '' : 'not '}helped by its own sign-in, and by an administrator`, async () => {
    const [one, other] = [await make.person(), await make.person()]
    await enter(one)
    assert.equal(await signsIn(one, code), byOneself)
    await enter(other)
    await byAdministrator(other)
    assert.equal(await signsIn(other), true)
  })
}

/** Members that keep nobody from signing in. */
const harmless = [
  'admin',
  'allow_create_organization',
  'allow_git_hook',
  'allow_import_local',
  'description',
  'email',
  'full_name',
  'location',
  'login_name',
  'max_repo_creation',
  'password',
  'source_id',
  'visibility',
  'website',
]

test('each member that an administrator may change is a state above, or harmless', () => {
  const members = Object.values(states).flatMap(({ member = [] }) => member)
  assert.deepEqual(Object.keys(EditUserOption.entries).sort(), [...members, ...harmless].sort())
})

test('GET /-/admin/users/{username} offers a link and the removal of codes, and a new user without password gets a link', async () => {
  const me = await make.person()
  await enrol(me)
  const cookie = (await post('/login', { user: boss.name, password: samePassword })).headers
    .get('set-cookie')
    ?.split(';')[0]
  const address = `/-/admin/users/${me.name}`
  const page = (await get(address, cookie)).text
  for (const path of ['password-link', 'totp'])
    assert.ok(page.includes(`action="${root}${address.slice(1)}/${path}"`))
  const linked = await post(`${address}/password-link`, {}, cookie)
  assert.equal(linked.status, 200)
  assert.match(linked.text, /value="https:\/\/forgehall\.example\/login\/password\?link=[\w-]{43}"/)
  const removed = await post(`${address}/totp`, {}, cookie)
  assert.deepEqual([removed.status, removed.location], [303, `${root}${address.slice(1)}?done=codes`])
  assert.match((await get(`${address}?done=codes`, cookie)).text, /without one-time codes now/)
  assert.equal((await post(`${address}/totp`, {}, cookie)).status, 422)

  const bot = await make.bot()
  assert.equal((await post(`/-/admin/users/${bot.name}/password-link`, {}, cookie)).status, 422)

  const draft = { username: 'newcomer', email: 'newcomer@example.com', password: '' }
  const created = await post('/-/admin/new/user', draft, cookie)
  assert.equal(created.status, 200)
  const link = /link=([\w-]{43})"/.exec(created.text)?.[1] ?? ''
  const fields = { link, password: samePassword, repeated: samePassword }
  assert.equal((await post('/login/password', fields)).status, 303)
  assert.equal((await post('/login', { user: 'newcomer', password: samePassword })).status, 303)
  const again = await post('/-/admin/new/user', draft, cookie)
  assert.equal(again.status, 422)
})
