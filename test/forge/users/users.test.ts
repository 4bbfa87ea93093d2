import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { call } = app
const { begin, ...make } = app.make

const ada = await make.person({
  name: 'Ada',
  full_name: 'Ada <L>',
  login_name: 'cn=ada',
  source_id: 3,
  location: 'London',
})
const bob = await make.person({ name: 'bob' })
const boss = await make.admin({ name: 'boss' })

const open = {
  id: ada.id,
  login: 'Ada',
  type: 'User',
  full_name: 'Ada <L>',
  avatar_url: 'https://forgehall.example/avatars/f4d59c1d1e3d7d6b3b2a3c9a9a9a9a9a',
  html_url: 'https://forgehall.example/Ada',
  created: '2026-01-31T08:00:00Z',
  restricted: false,
  location: 'London',
  website: '',
  description: '',
  visibility: 'public',
  followers_count: 0,
  following_count: 0,
  starred_repos_count: 0,
  username: 'Ada',
}

const whole = {
  ...open,
  login_name: 'cn=ada',
  source_id: 3,
  email: 'Ada@example.com',
  language: '',
  is_admin: false,
  last_login: '1970-01-01T00:00:00Z',
  active: true,
  prohibit_login: false,
}

const hidden = { ...whole, login_name: '', source_id: 0, last_login: '0001-01-01T00:00:00Z', active: false }

const show = async (as?: { authorization: string }) => {
  const { body } = await call('GET /api/v1/users/{username}', {
    params: { username: 'ada' },
    ...(as && { as }),
  })
  return { ...body, avatar_url: open.avatar_url }
}

test('GET /user shows a user everything of itself', async () => {
  const { status, body } = await call('GET /api/v1/user', { as: ada })
  assert.equal(status, 200)
  assert.deepEqual({ ...body, avatar_url: open.avatar_url }, whole)
})

test('GET /users/{username} shows private members to the user and administrators alone', async () => {
  assert.deepEqual(await show(ada), whole)
  assert.deepEqual(await show(boss), whole)
  assert.deepEqual(await show(bob), hidden)
})

test('GET /users/{username} shows a placeholder for the address to anonymous callers, and for a hidden address', async () => {
  const placeholder = { ...hidden, email: `${ada.id}+ada@noreply.forgehall.example` }
  assert.deepEqual(await show(), placeholder)
  await begin((tx) => updateAccount(tx, ada.id, { hides_email: true }))
  assert.deepEqual(await show(bob), placeholder)
  assert.deepEqual(await show(ada), whole)
  assert.deepEqual(await show(boss), whole)
  await begin((tx) => updateAccount(tx, ada.id, { hides_email: false }))
})

test('GET /users/{username} gives bots and organizations too, by their type', async () => {
  await make.bot({ name: 'robot' })
  await make.organization(ada, { name: 'guild' })
  for (const [username, type] of [
    ['robot', 'Bot'],
    ['guild', 'Organization'],
    ['bob', 'User'],
  ] as const) {
    assert.equal((await call('GET /api/v1/users/{username}', { params: { username } })).body.type, type)
  }
})

test('GET /users/{username} hides private users, and limited ones from who is not signed in', async () => {
  await make.person({ name: 'quiet', visibility: 'private' })
  await make.person({ name: 'shy', visibility: 'limited' })
  const statusOf = async (username: string, as?: { authorization: string }) =>
    (await call('GET /api/v1/users/{username}', { params: { username }, ...(as && { as }) })).status
  assert.deepEqual(
    [await statusOf('quiet'), await statusOf('quiet', bob), await statusOf('quiet', boss)],
    [404, 404, 200],
  )
  assert.deepEqual([await statusOf('shy'), await statusOf('shy', bob)], [404, 200])
})

test('avatars are found by the hash of the lower-cased address', async () => {
  const { body } = await call('GET /api/v1/user', { as: bob })
  // md5 of bob@example.com
  assert.equal(body.avatar_url, 'https://forgehall.example/avatars/4b9bb80620f03eb3719e0a061c14283d')
})
