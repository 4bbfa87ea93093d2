import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'
import { holdClean, hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const eve = await make.person({ name: 'eve' })
await make.organization(eve, { name: 'guild' })
const { page, done, refused } = await signedIn(app, 'boss')
const newest = async () => (await app.call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

test('POST /-/admin/users/{username}/keys adds an SSH key and deletes one', async () => {
  const key = newKeyLine()
  const shown = await done('/-/admin/users/eve/keys', { title: 'Laptop <b>', key: `${key}\n` })
  assert.match(shown, /Laptop &lt;b&gt;.*SHA256:/s)
  const { action, target } = await newest()
  assert.deepEqual([action, target.name], ['key.added', 'eve'])
  for (const [field, fields] of [
    ['title', { title: '', key: newKeyLine() }],
    ['key', { title: 'Other', key: '' }],
    ['key', { title: 'Other', key: 'nonsense' }],
    ['key', { title: 'Other', key }],
  ] as const) {
    const marked = new RegExp(`id="new-${field}"[^>]* aria-invalid="true"[^>]* autofocus`)
    assert.match(await refused('/-/admin/users/eve/keys', fields), marked, JSON.stringify(fields))
  }
  for (const text of hostile) holdClean(await refused('/-/admin/users/eve/keys', { title: text, key: text }))
  const [, id = ''] = /name="delete" value="(\d+)"/.exec(shown) ?? []
  assert.match(await done('/-/admin/users/eve/keys', { delete: id }), /SSH keys<\/h2>\n<p class="empty">/)
  assert.equal((await newest()).action, 'key.removed')
  assert.match(await refused('/-/admin/users/eve/keys', { delete: id }), /Nothing was changed/)
})

test('POST /-/admin/users/{username}/repositories creates a repository of a user', async () => {
  await done('/-/admin/users/eve/repositories', { name: 'engine', private: 'on' })
  const params = { owner: 'eve', repo: 'engine' }
  const { body } = await app.call('GET /api/v1/repos/{owner}/{repo}', { as: boss, params })
  assert.deepEqual([body.full_name, body.private], ['eve/engine', true])
  for (const name of ['', 'a b', 'engine', ...hostile]) {
    const shown = await refused('/-/admin/users/eve/repositories', { name })
    holdClean(shown)
    assert.match(shown, /id="new-name"[^>]* aria-invalid="true"[^>]* autofocus/, name)
  }
})

test('GET /-/admin/users/{username} names the organizations of a user', async () => {
  assert.match(await page('/-/admin/users/eve'), /<dt>Organizations<\/dt><dd><a href="[^"]+\/guild">guild</)
  assert.match(await page('/-/admin/users/boss'), /<dt>Organizations<\/dt><dd>none</)
})

test('GET /-/admin/users/{username} has its parts on pages of their own, and a way to the deletion on each', async () => {
  for (const [part, form] of [
    ['', 'edit'],
    ['/keys', 'keys'],
    ['/badges', 'badges'],
    ['/repositories', 'repositories'],
    ['/rename', 'rename'],
  ] as const) {
    const shown = await page(`/-/admin/users/eve${part}`)
    assert.ok(shown.includes(`action="https://forgehall.example/-/admin/users/eve/${form}"`), form)
    assert.equal([...shown.matchAll(/<nav class="tabs"[^>]*>.*<\/nav>/g)].length, 1)
    assert.ok(
      shown.includes(`<a href="https://forgehall.example/-/admin/users/eve${part}" aria-current="page">`),
      part,
    )
    assert.match(shown, /<a class="button admin-danger" href="[^"]+\/users\/eve\/delete"/)
  }
})
