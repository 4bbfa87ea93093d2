import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { holdClean, hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const { call } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
await make.person({ name: 'ada', email: 'ada@forgehall.example' })
const { page, done, refused } = await signedIn(app, 'boss')

/** The newest entry of the audit trail. */
const newest = async () => (await call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

test('GET /-/admin/organizations lists all, page by page', async () => {
  assert.match(await page('/-/admin/organizations'), /No organizations yet/)
  for (let count = 0; count < 51; count++) await make.organization(boss)
  assert.match(await page('/-/admin/organizations'), /51 organizations.*page=2">Next/s)
  assert.match(await page('/-/admin/organizations?page=2'), /Previous/)
})

test('POST /-/admin/new/organization creates one for a user, as the API does', async () => {
  await page('/-/admin/new/organization')
  const fields = { username: 'guild', owner: 'ada', description: '<b>builders', visibility: 'limited' }
  await done('/-/admin/new/organization', fields)
  const { body } = await call('GET /api/v1/orgs/{org}', { as: boss, params: { org: 'guild' } })
  assert.deepEqual([body.name, body.description, body.visibility], ['guild', '<b>builders', 'limited'])
  const { action, target } = await newest()
  assert.deepEqual([action, target.name], ['organization.created', 'guild'])
})

test('POST /-/admin/new/organization says what is wrong beside the field, and keeps what was written', async () => {
  for (const [field, value] of [
    ['username', ''],
    ['username', 'a b'],
    ['username', 'guild'],
    ['username', 'api'],
    ['owner', 'nobody'],
    ['owner', ''],
    ['owner', 'guild'],
    ['website', 'javascript:alert(1)'],
  ] as const) {
    const fields = { username: 'new-guild', owner: 'ada', location: 'here', [field]: value }
    const shown = await refused('/-/admin/new/organization', fields)
    assert.match(
      shown,
      new RegExp(`id="${field}"[^>]* aria-invalid="true"[^>]* autofocus`),
      `${field} ${value}`,
    )
    assert.match(shown, /value="here"/)
  }
  for (const text of hostile)
    holdClean(await refused('/-/admin/new/organization', { username: text, owner: text, description: text }))
})

test('GET /-/admin/emails finds addresses by a text', async () => {
  assert.match(await page('/-/admin/emails'), /2 addresses/)
  const found = await page('/-/admin/emails?q=forgehall')
  assert.match(found, /1 address.*ada@forgehall\.example <span class="badge">primary/s)
  for (const text of hostile) await page(`/-/admin/emails?q=${encodeURIComponent(text)}`)
})

test('GET /-/admin/tasks shows tasks, and POST /-/admin/tasks/{task}/run starts one', async () => {
  const shown = await page('/-/admin/tasks')
  assert.match(shown, /<code>cleanup_packages<\/code>/)
  const { schedule } = app.app.tools
  const purposes = [...shown.matchAll(/<p class="summary" dir="auto">[A-Z][^<]{10,}\.<\/p>/g)]
  assert.equal(purposes.length, schedule.tasks.length, 'each task says what it does')
  assert.match(await done('/-/admin/tasks/cleanup_packages/run'), /cleanup_packages was started/)
  await schedule.idle()
  assert.match(await page('/-/admin/tasks'), /<span class="badge good">succeeded<\/span> <time/)
  const { action, target } = await newest()
  assert.deepEqual([action, target.name], ['cron.started', 'cleanup_packages'])
  assert.match(
    await refused('/-/admin/tasks/nothing/run'),
    /Nothing was changed: There is nothing of this name or number/,
  )
})
