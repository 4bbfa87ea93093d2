import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { holdClean, hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { page, done, refused, post } = await signedIn(app, 'boss')

const newest = async () => (await app.call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

test('POST /-/admin/badges creates a badge, and says what is wrong', async () => {
  assert.match(await page('/-/admin/badges'), /No badges yet/)
  assert.match(await done('/-/admin/badges', { slug: 'kind', description: 'For <b>' }), /For &lt;b&gt;/)
  assert.equal((await newest()).action, 'badge.created')
  for (const [field, value] of [
    ['slug', ''],
    ['slug', 'a b'],
    ['slug', 'kind'],
    ['description', 'x'.repeat(256)],
    ['image_url', 'javascript:alert(1)'],
  ] as const) {
    const shown = await refused('/-/admin/badges', { slug: 'good', [field]: value })
    assert.match(
      shown,
      new RegExp(`id="${field}"[^>]* aria-invalid="true"[^>]* autofocus`),
      `${field} ${value}`,
    )
  }
  for (const text of hostile)
    holdClean(await refused('/-/admin/badges', { slug: text, description: text, image_url: text }))
})

test('POST /-/admin/badges/{slug}/edit changes a badge', async () => {
  assert.match(await page('/-/admin/badges/kind'), /value="For &lt;b&gt;"/)
  assert.match(
    await done('/-/admin/badges/kind/edit', { slug: 'kinder', description: 'For all' }),
    /value="For all"/,
  )
  assert.equal((await newest()).action, 'badge.edited')
  assert.match(await refused('/-/admin/badges/kinder/edit', { slug: '' }), /id="slug-fault"/)
  assert.equal((await post('/-/admin/badges/nothing/edit', { slug: 'x' })).status, 404)
})

test('POST /-/admin/badges/{slug}/delete deletes a badge', async () => {
  assert.match(await done('/-/admin/badges/kinder/delete'), /No badges yet/)
  assert.equal((await newest()).action, 'badge.deleted')
  assert.match(await refused('/-/admin/badges/kinder/delete'), /Nothing was changed/)
})
