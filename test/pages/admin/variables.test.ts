import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { holdClean, hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const boss = await makersFor(app).admin({ name: 'boss' })
const { page, done, refused, post, statusOf } = await signedIn(app, 'boss')

const variable = async (variablename: string) =>
  (
    await app.call('GET /api/v1/admin/actions/variables/{variablename}', {
      as: boss,
      params: { variablename },
    })
  ).body
const newest = async () => (await app.call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

test('POST /-/admin/variables creates a variable for all jobs, and says what is wrong', async () => {
  assert.match(await page('/-/admin/variables'), /No variables yet/)
  const shown = await done('/-/admin/variables', { name: 'region', value: 'a\r\nb', description: 'For <b>' })
  assert.match(shown, /REGION<\/a>.*For &lt;b&gt;/s)
  assert.equal((await variable('REGION')).data, 'a\nb')
  assert.equal((await newest()).action, 'variable.created')
  for (const [field, value] of [
    ['name', ''],
    ['name', 'a b'],
    ['name', 'ci'],
    ['name', 'GITHUB_X'],
    ['name', 'region'],
    ['value', ''],
    ['value', 'x'.repeat(65_537)],
  ] as const) {
    const again = await refused('/-/admin/variables', {
      name: 'good',
      value: 'x',
      description: 'kept',
      [field]: value,
    })
    const marked = new RegExp(`id="${field}"[^>]* aria-invalid="true"[^>]* autofocus`)
    assert.match(again, marked, `${field} ${value.slice(0, 20)}`)
    assert.match(again, /value="kept"/)
  }
  for (const text of hostile)
    holdClean(await refused('/-/admin/variables', { name: text, value: text, description: text }))
})

test('POST /-/admin/variables/{variablename}/edit and delete change and delete a variable', async () => {
  assert.match(await page('/-/admin/variables/region'), /value="For &lt;b&gt;"/)
  const edited = { name: 'zone', value: '2', description: '' }
  assert.match(await done('/-/admin/variables/REGION/edit', edited), /<h1>ZONE<\/h1>/)
  assert.deepEqual([(await variable('ZONE')).data, (await newest()).action], ['2', 'variable.updated'])
  assert.match(await refused('/-/admin/variables/ZONE/edit', { ...edited, value: '' }), /id="value-fault"/)
  assert.equal((await post('/-/admin/variables/NOTHING/edit', edited)).status, 404)
  assert.equal(await statusOf('/-/admin/variables/NOTHING'), 404)
  assert.match(await done('/-/admin/variables/ZONE/delete'), /No variables yet/)
  assert.equal((await newest()).action, 'variable.removed')
  assert.match(await refused('/-/admin/variables/ZONE/delete'), /Nothing was changed/)
})
