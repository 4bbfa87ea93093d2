import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { holdClean, hostile, send } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { page, done, refused, post } = await signedIn(app, 'boss')

const user = async (name: string) =>
  (await call('GET /api/v1/users/{username}', { as: boss, params: { username: name } })).body
const trail = async () => {
  const { entries } = (await call('GET /api/v1/admin/audit', { as: boss })).body
  return entries[0]
}

test('GET /-/admin shows the number of each section and leads to it', async () => {
  const shown = await page('/-/admin')
  assert.match(shown, /admin\/users">Users<\/a><\/h2>\n<p class="admin-figure">\d+</)
  for (const [, address = ''] of shown.matchAll(
    /<h2><a href="https:\/\/forgehall\.example(\/-\/admin\/[a-z]+)">/g,
  ))
    await page(address)
})

test('POST /-/admin/new/user creates a user, as the API does', async () => {
  await page('/-/admin/new/user')
  const shown = await done('/-/admin/new/user', {
    username: 'eve',
    full_name: 'Eve <b>',
    email: 'eve@forgehall.example',
    password: 'an unusual passphrase 1',
    visibility: 'limited',
    restricted: 'on',
  })
  assert.match(shown, /The user was created/)
  const eve = await user('eve')
  assert.deepEqual(
    [eve.full_name, eve.email, eve.visibility, eve.restricted, eve.active, eve.is_admin],
    ['Eve <b>', 'eve@forgehall.example', 'limited', true, true, false],
  )
  const { action, actor, target } = await trail()
  assert.deepEqual([action, actor.name, target.name], ['user.created', 'boss', 'eve'])
})

test('POST /-/admin/new/user says what is wrong beside the field, and keeps what was written', async () => {
  const good = { username: 'new-one', email: 'new@forgehall.example', password: 'an unusual passphrase 1' }
  for (const [field, value] of [
    ['username', ''],
    ['username', 'a b'],
    ['username', 'api'],
    ['username', 'boss'],
    ['email', 'nonsense'],
    ['email', 'eve@forgehall.example'],
    ['password', 'short'],
    ['full_name', 'x'.repeat(101)],
    ['visibility', 'hidden'],
  ] as const) {
    const shown = await refused('/-/admin/new/user', { ...good, [field]: value })
    if (field !== 'visibility') {
      assert.match(
        shown,
        new RegExp(`id="${field}"[^>]* aria-invalid="true"[^>]* autofocus`),
        `${field} ${value}`,
      )
      assert.match(shown, new RegExp(`<p class="fault" id="${field}-fault">`))
    }
    if (field !== 'username') assert.match(shown, /value="new-one"/)
    assert.doesNotMatch(shown, /unusual passphrase/)
  }
})

test('POST /-/admin/new/user shows hostile texts as they are', async () => {
  for (const text of hostile) {
    const fields = { username: text, full_name: text, email: text, password: text, visibility: text }
    holdClean(await refused('/-/admin/new/user', fields))
  }
})

test('GET /-/admin/users filters by text, state and visibility, and sorts', async () => {
  const names = async (query: string) => {
    const shown = await page(`/-/admin/users${query}`)
    return [...shown.matchAll(/<h3><a href="[^"]*\/admin\/users\/([^"]+)"/g)].map(([, name]) => name)
  }
  assert.deepEqual(await names(''), ['boss', 'eve'])
  assert.deepEqual(await names('?q=EVE'), ['eve'])
  assert.deepEqual(await names('?state=is_admin'), ['boss'])
  assert.deepEqual(await names('?state=is_restricted'), ['eve'])
  assert.deepEqual(await names('?state=is_active%3Dfalse'), [])
  assert.deepEqual(await names('?visibility=limited'), ['eve'])
  const { name: bot } = await make.bot()
  assert.deepEqual(await names('?state=type%3Dbot'), [bot])
  assert.deepEqual(await names('?by=created+desc&q='), ['eve', 'boss'])
  for (const text of hostile)
    await page(`/-/admin/users?q=${encodeURIComponent(text)}&state=${encodeURIComponent(text)}`)
  assert.deepEqual(await names('?visibility=hidden'), ['boss', 'eve'], 'an unknown word counts as absent')
  for (let count = 0; count < 60; count++) await make.person()
  const first = await page('/-/admin/users?q=')
  assert.match(first, /page=2">Next/)
  assert.match(await page('/-/admin/users?page=2'), /page=1">Previous/)
})

test('POST /-/admin/users/{username}/edit changes a user, as the API does', async () => {
  await page('/-/admin/users/eve')
  const shown = await done('/-/admin/users/eve/edit', {
    full_name: 'Eve',
    email: 'eve2@forgehall.example',
    website: 'https://eve.example',
    location: 'here',
    description: 'about',
    visibility: 'public',
    max_repo_creation: '3',
    active: 'on',
    prohibit_login: 'on',
  })
  assert.match(shown, /id="prohibit_login" name="prohibit_login" checked/)
  const eve = await user('eve')
  assert.deepEqual(
    [eve.full_name, eve.email, eve.website, eve.location, eve.prohibit_login, eve.restricted, eve.active],
    ['Eve', 'eve2@forgehall.example', 'https://eve.example', 'here', true, false, true],
  )
  assert.equal((await trail()).action, 'user.edited')
})

test('POST /-/admin/users/{username}/edit says what is wrong beside the field', async () => {
  for (const [field, value] of [
    ['email', 'nonsense'],
    ['email', boss.email],
    ['website', 'javascript:alert(1)'],
    ['location', 'x'.repeat(51)],
    ['password', 'short'],
    ['max_repo_creation', 'many'],
  ] as const) {
    const shown = await refused('/-/admin/users/eve/edit', { active: 'on', [field]: value })
    assert.match(shown, new RegExp(`id="${field}"[^>]* aria-invalid="true"`), `${field} ${value}`)
  }
  const last = await refused('/-/admin/users/boss/edit', { active: 'on' })
  assert.match(last, /id="admin"[^>]* aria-invalid="true" autofocus/)
  for (const text of hostile)
    holdClean(
      await refused('/-/admin/users/eve/edit', {
        full_name: text,
        website: text,
        email: text,
        location: text,
      }),
    )
})

test('POST /-/admin/users/{username}/rename gives a user another name', async () => {
  assert.match(
    await refused('/-/admin/users/eve/rename', { new_username: 'boss' }),
    /id="new_username-fault"/,
  )
  assert.match(await refused('/-/admin/users/eve/rename', { new_username: '' }), /id="new_username-fault"/)
  await done('/-/admin/users/eve/rename', { new_username: 'eva' })
  assert.equal((await user('eva')).login, 'eva')
  assert.equal((await trail()).action, 'user.renamed')
})

test('POST /-/admin/users/{username}/badges gives and takes badges', async () => {
  await call('POST /api/v1/admin/badges', { as: boss, body: { slug: 'kind', description: '<i>kind' } })
  assert.match(await done('/-/admin/users/eva/badges', { give: 'kind' }), /&lt;i&gt;kind/)
  assert.equal((await trail()).target.name, 'eva')
  assert.match(await refused('/-/admin/users/eva/badges', { give: 'none' }), /id="give-fault"/)
  assert.doesNotMatch(await done('/-/admin/users/eva/badges', { take: 'kind' }), /Take away: kind/)
})

test('POST /-/admin/users/{username}/delete asks, says what prevents it, and deletes', async () => {
  const { id } = await user('eva')
  await make.repository({ id, name: 'eva' }, { name: 'tools' })
  assert.match(await page('/-/admin/users/eva/delete'), /ownership of repositories: [^<]*tools/)
  assert.match(await refused('/-/admin/users/eva/delete'), /still has ownership of repositories/)
  assert.match(await refused('/-/admin/users/boss/delete'), /you cannot delete yourself/)
  await done('/-/admin/users/eva/delete', { purge: 'on' })
  assert.equal((await trail()).action, 'user.deleted')
  const gone = await post('/-/admin/users/eva/delete')
  assert.equal(gone.status, 404)
})

test('who loses the role while a form is open changes nothing, and sees why', async () => {
  const former = await make.admin({ name: 'former-boss' })
  const { cookie: other } = await signedIn(app, 'former-boss')
  await make.begin((tx) => updateAccount(tx, former.id, { is_admin: false }))
  const before = await trail()
  const fields = { username: 'sneaked', email: 'in@forgehall.example', password: 'an unusual passphrase 1' }
  const response = await send(app.url, '/-/admin/new/user', fields, { cookie: other })
  assert.equal(response.status, 403)
  assert.match(await response.text(), /user should be the site admin/)
  assert.deepEqual(await trail(), before)
})
