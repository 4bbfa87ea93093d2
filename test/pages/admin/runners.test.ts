import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { startRunner } from '../../support/forge/actions.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { page, done, refused, post, statusOf } = await signedIn(app, 'boss')
const runner = await startRunner(app, { name: '<i>first', labels: ['linux', '"big"'] })

const token = async () =>
  (await call('POST /api/v1/admin/actions/runners/registration-token', { as: boss })).body.token
const newest = async () => (await call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

test('GET /-/admin/runners shows runners with state and labels', async () => {
  const shown = await page('/-/admin/runners')
  assert.match(shown, /&lt;i&gt;first<\/bdi> <span class="badge good">online.*Labels: linux, &#34;big&#34;/s)
  assert.match(await page('/-/admin/runners?disabled=true'), /No runners match/)
})

test('POST /-/admin/runners/token shows the registration token, which is hidden before', async () => {
  assert.ok(!(await page('/-/admin/runners')).includes(await token()))
  const shown = await post('/-/admin/runners/token')
  assert.equal(shown.status, 200)
  assert.ok((await shown.text()).includes(await token()))
  assert.match(shown.headers.get('cache-control') ?? '', /no-store|private/)
})

test('POST /-/admin/runners/token/replace makes another one, as the API does', async () => {
  const former = await token()
  await done('/-/admin/runners/token/replace')
  assert.notEqual(await token(), former)
  assert.match((await newest()).action, /token/)
})

test('POST /-/admin/runners/{runner_id}/edit switches a runner off and on', async () => {
  const shown = await done(`/-/admin/runners/${runner.id}/edit`, { disabled: 'true' })
  assert.match(shown, /switched off/)
  assert.match((await newest()).action, /^runner\./)
  assert.doesNotMatch(
    await done(`/-/admin/runners/${runner.id}/edit`, { disabled: 'false' }),
    /switched off</,
  )
  assert.match(await refused('/-/admin/runners/999/edit', { disabled: 'true' }), /Nothing was changed/)
})

test('POST /-/admin/runners/{runner_id}/delete deletes a runner after a question', async () => {
  assert.match(await page(`/-/admin/runners/${runner.id}/delete`), /Delete &lt;i&gt;first/)
  assert.doesNotMatch(await done(`/-/admin/runners/${runner.id}/delete`), /&lt;i&gt;first/)
  assert.equal((await newest()).action, 'runner.deleted')
  assert.match(await refused(`/-/admin/runners/${runner.id}/delete`), /Nothing was changed/)
  assert.equal(await statusOf(`/-/admin/runners/${runner.id}/delete`), 404)
})
