import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', auto_init: true } })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')
const at = '/ada/engine/milestones'
const read = async (id: string) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/milestones/{id}', {
      params: { owner: 'ada', repo: 'engine', id },
    })
  ).body

test('POST /{owner}/{repo}/milestones/new makes a milestone, and its page changes, closes and deletes it', async () => {
  assert.match(await owner.page(at), /milestones\/new/)
  const form_id = 'one-form'
  const fields = { form_id, title: 'One', description: 'First', due_on: '2027-01-31' }
  const [first, second] = await Promise.all([1, 2].map(() => led(owner, `${at}/new`, fields)))
  assert.equal(first, second, 'one is made')
  const id = first?.split('/').at(-1) ?? ''
  assert.match((await read(id)).due_on ?? '', /^2027-01-31/)
  assert.match(await owner.page(first ?? ''), new RegExp(`milestones/${id}/edit`))
  const page = `${at}/${id}/edit`
  assert.match(await owner.page(page), /value="2027-01-31"/)
  await led(owner, page, { action: 'edit', title: 'Two', description: 'x', due_on: '' })
  assert.deepEqual([(await read(id)).title, (await read(id)).due_on], ['Two', null])
  const undated = (await led(owner, `${at}/new`, { title: 'Some day', due_on: '' })).split('/').at(-1) ?? ''
  assert.equal((await read(undated)).due_on, null)
  assert.match(await refused(owner, `${at}/new`, { title: '', description: 'kept' }), /kept/)
  await refused(owner, page, { action: 'edit', title: 'x'.repeat(256) })
  for (const text of hostile) {
    await led(owner, page, { action: 'edit', title: text, description: text, due_on: '' })
    await owner.page(page)
  }
  await led(owner, page, { action: 'close' })
  assert.equal((await read(id)).state, 'closed')
  await led(owner, page, { action: 'open' })
  assert.equal((await read(id)).state, 'open')
  for (const action of ['', 'toString']) assert.equal((await owner.post(page, { action })).status, 400)
  for (const path of [`${at}/new`, page]) {
    assert.equal(await visitor.statusOf(path), 403)
    assert.equal((await visitor.post(path, { action: 'delete' })).status, 403)
    assert.equal((await send(url, path, fields)).status, 401)
    assert.equal(await browserOf(url).statusOf(path), 303)
  }
  assert.equal(await led(owner, page, { action: 'delete' }), at)
  assert.equal(await owner.statusOf(page), 404)
  assert.equal((await owner.post(page, { action: 'edit', title: 'x' })).status, 404)
})
