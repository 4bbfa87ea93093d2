import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOT_ID, BOT_NAME } from '../../../src/actions/run/bot.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'

const invalid = (name: string) =>
  `name is invalid [${name}]: must be valid alpha or numeric or dash(-_) or dot characters, begin and end with a letter or digit, and have no two of - _ . together`

const { call, pool, url, make } = await startApp()
const boss = await make.admin({ name: 'boss' })

const literal = 'POST /api/v1/admin/users/{username}/rename'
const rename = (username: string, to: unknown, as: { authorization: string } = boss) =>
  call(literal, { as, params: { username }, body: { new_username: to } })
const show = (username: string) => call('GET /api/v1/users/{username}', { params: { username } })

test(`${literal} gives another name, and requests under the old one are sent on, whatever their method`, async () => {
  const ada = await make.person({ name: 'ada' })
  const { status, body } = await rename('ada', 'Countess.Ada')
  assert.deepEqual([status, body], [204, undefined])
  assert.equal((await show('countess.ada')).body.id, ada.id)
  const moved = await show('ADA')
  assert.equal(moved.status, 307)
  assert.equal(moved.headers.get('location'), '/api/v1/users/Countess.Ada')
  const again = await rename('ada', 'other')
  assert.equal(again.status, 307)
  assert.equal(again.headers.get('location'), '/api/v1/admin/users/Countess.Ada/rename')
  for (const method of ['PATCH', 'DELETE']) {
    // A question mark is an ordinary character of a query (RFC 3986, section 3.4).
    const response = await fetch(`${url}/api/v1/admin/users/ada?purge=true?&x=a?b`, {
      method,
      redirect: 'manual',
      headers: { authorization: boss.authorization },
    })
    assert.equal(response.status, 307)
    assert.equal(response.headers.get('location'), '/api/v1/admin/users/Countess.Ada?purge=true?&x=a?b')
  }
})

test(`${literal} there and back leaves the redirect of the middle alone`, async () => {
  const bob = await make.person({ name: 'user2' })
  assert.equal((await rename('user2', 'User2')).status, 204)
  assert.equal((await pool`select key from forge.name_redirect where account_id = ${bob.id}`).length, 0)
  assert.equal((await show('user2')).body.login, 'User2')
  assert.equal((await rename('User2', 'User2-2-2')).status, 204)
  assert.equal((await rename('User2', 'User2-2-3')).status, 307)
  assert.equal((await rename('User2-2-2', 'user2')).status, 204)
  const left = await pool`select key from forge.name_redirect where account_id = ${bob.id}`
  assert.deepEqual([...left], [{ key: 'user2-2-2' }])
  assert.equal((await show('user2')).status, 200)
})

test(`${literal} to the name it has is no change`, async () => {
  const carol = await make.person({ name: 'Carol' })
  const before = await pool`select updated_at from forge.account where id = ${carol.id}`
  assert.equal((await rename('carol', 'Carol')).status, 204)
  assert.deepEqual(await pool`select updated_at from forge.account where id = ${carol.id}`, before)
  assert.equal((await pool`select id from forge.audit where target_name = 'Carol'`).length, 0)
})

test(`${literal} has no rule on length but that of folders, and such a user is found`, async () => {
  await make.person({ name: 'short' })
  const long = 'a'.repeat(255)
  assert.equal((await rename('short', long)).status, 204)
  assert.equal((await show(long)).status, 200)
  const refused = await rename(long, 'a'.repeat(256))
  assert.equal(refused.status, 422)
  assert.equal(refused.body.message, '[NewName]: MaxSize')
})

test(`${literal} reads the form of older clients`, async () => {
  await make.person({ name: 'former' })
  const answer = await call(literal, {
    as: boss,
    params: { username: 'former' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'new_name=latter',
  })
  assert.equal(answer.status, 204)
  assert.equal((await show('latter')).status, 200)
})

test(`${literal} leaves a row in the audit trail`, async () => {
  const dora = await make.person({ name: 'dora' })
  await rename('dora', 'thea')
  const [row] = await pool`select * from forge.audit where target_id = ${dora.id}`
  assert.equal(row?.action, 'user.renamed')
  assert.deepEqual([row?.target_name, row?.details], ['thea', { from: 'dora' }])
})

test(`${literal} refuses with 422 what cannot be a name, and changes nothing`, async () => {
  const eve = await make.person({ name: 'eve' })
  const guild = await make.organization(eve, { name: 'guild' })
  for (const [to, message] of [
    ['BOSS', 'user already exists [name: BOSS]'],
    ['Guild', 'user already exists [name: Guild]'],
    ['User', 'name is reserved [name: user]'],
    ['eve.png', 'name pattern is not allowed [pattern: *.png]'],
    ['e v e', invalid('e v e')],
    ['../eve', invalid('../eve')],
    ['eve\r\n', invalid('eve\r\n')],
    ['', '[NewName]: Required'],
    [null, '[NewName]: Required'],
  ]) {
    const { status, body } = await rename('eve', to)
    assert.equal(status, 422)
    assert.equal(body.message, message)
  }
  for (const to of [7, true, ['x'], {}]) assert.equal((await rename('eve', to)).status, 422)
  const ofOrganization = await rename(guild.name, 'league')
  assert.equal(ofOrganization.status, 422)
  assert.equal(ofOrganization.body.message, 'target is an organization but not user')
  assert.equal((await show('eve')).body.id, eve.id)
})

test(`${literal} does not rename the account of Actions, whose name is reserved`, async () => {
  assert.equal((await rename(BOT_NAME, 'robot')).status, 422)
  assert.equal((await show(BOT_NAME)).body.id, BOT_ID)
})

test(`${literal} of an unknown user is 404 before the body is read; only administrators may use it`, async () => {
  const { status, body } = await rename('Nobody', 7)
  assert.equal(status, 404)
  assert.equal(body.message, 'user redirect does not exist [name: nobody]')
  const fay = await make.person({ name: 'fay' })
  assert.equal((await rename('fay', 'gay', fay)).status, 403)
  assert.equal((await rename('nobody', 'gay', fay)).status, 403)
  assert.equal((await rename('fay', 'gay', bearer(await make.token(boss, 'read:admin')))).status, 403)
  const anonymous = await call(literal, { params: { username: 'fay' }, body: { new_username: 'gay' } })
  assert.equal(anonymous.status, 401)
  assert.equal((await show('fay')).status, 200)
})

test(`${literal} against a creation of that name: one succeeds, the other is refused`, async () => {
  for (let round = 0; round < 8; round++) {
    await make.person({ name: `runner${round}` })
    const name = `prize${round}`
    const [renamed, created] = await Promise.all([
      rename(`runner${round}`, name),
      call('POST /api/v1/admin/users', {
        as: boss,
        body: { username: name, email: `${name}@example.org`, password: 'a long password' },
      }),
    ])
    assert.ok(
      [
        [204, 409],
        [422, 201],
      ].some(([first, second]) => renamed.status === first && created.status === second),
      `${renamed.status} ${created.status}`,
    )
    assert.equal((await pool`select id from forge.account where key = ${name}`).length, 1)
  }
})

test(`${literal} while another account takes the old name: the redirect is deleted`, async () => {
  for (let round = 0; round < 8; round++) {
    const name = `leaving${round}`
    await make.person({ name })
    const [renamed, created] = await Promise.all([
      rename(name, `left${round}`),
      call('POST /api/v1/admin/users', {
        as: boss,
        body: { username: name, email: `new-${name}@example.org`, password: 'a long password' },
      }),
    ])
    assert.equal(renamed.status, 204)
    assert.ok([201, 409].includes(created.status))
    const redirects = await pool`select key from forge.name_redirect where key = ${name}`
    assert.equal(redirects.length, created.status === 201 ? 0 : 1)
  }
})

test(`${literal} twice at once leaves every name but the last as a redirect`, async () => {
  const hal = await make.person({ name: 'hal' })
  const answers = await Promise.all([rename('hal', 'hal-one'), rename('hal', 'hal-two')])
  for (const { status } of answers) assert.ok(status === 204 || status === 307)
  for (const name of ['hal', 'hal-one', 'hal-two'].slice(
    0,
    answers.every(({ status }) => status === 204) ? 3 : 1,
  )) {
    const { status, headers } = await show(name)
    assert.ok(status === 200 || (status === 307 && headers.get('location')?.startsWith('/api/v1/users/hal-')))
  }
  assert.match((await pool`select name from forge.account where id = ${hal.id}`)[0]?.name, /^hal-/)
})
