import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { holdClean, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call, clock, pool } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })
await make.organization(ada, { name: 'guild' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', auto_init: true } })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')

const hook = {
  type: 'gitea',
  url: 'https://receiver.example/x?a=1',
  content_type: 'json',
  active: 'on',
  'event-push': 'on',
  'event-issues': 'on',
  secret: 'a hidden secret',
  authorization_header: 'Bearer hidden',
}

for (const at of ['/ada/engine/settings', '/org/guild/settings', '/settings']) {
  const list = `${at}/hooks`

  test(`POST ${list}/new adds a webhook, and its page changes it and repeats its deliveries`, async () => {
    assert.match(await owner.page(list), /hooks\/new">Add a webhook/)
    await owner.page(`${list}/new`)
    const to = await led(owner, `${list}/new`, hook)
    assert.match(to, new RegExp(`^${list}/\\d+\\?done=created$`))
    const [path = ''] = to.split('?')
    const page = await owner.page(to)
    assert.match(page, /role="status"[^>]*>The webhook was added/)
    assert.doesNotMatch(page, /a hidden secret|Bearer hidden/)
    assert.match(await owner.page(list), new RegExp(path))
    const edit = { ...hook, action: 'edit', name: 'Chat', secret: '', authorization_header: '' }
    assert.equal(await led(owner, path, edit), `${path}?done=edited`)
    for (const broken of [{ url: 'x' }, { branch_filter: '[' }, { 'event-push': '', 'event-issues': '' }]) {
      assert.match(await refused(owner, path, { ...edit, ...broken }), /value="Chat"/)
      await refused(owner, `${list}/new`, { ...hook, ...broken })
    }
    await refused(owner, `${list}/new`, { ...hook, type: 'nothing' })
    for (const text of hostile)
      for (const to of [path, `${list}/new`]) {
        const sent = await owner.post(to, { ...edit, name: text, url: text, branch_filter: text })
        holdClean(await sent.text())
      }
    const id = Number(path.split('/').at(-1))
    for (const action of ['', 'toString', ...(at === '/ada/engine/settings' ? [] : ['test'])])
      assert.equal((await owner.post(path, { action })).status, 400)
    if (at === '/ada/engine/settings') {
      assert.match(await owner.page(path), /value="test"/)
      assert.equal(await led(owner, path, { action: 'test' }), `${path}?done=tested`)
    }
    await led(owner, path, { ...hook, action: 'edit' })
    const [delivery] = await pool<{ id: number }[]>`
      insert into forge.hook_delivery (uuid, hook_id, event, event_type, body, due_at, created_at)
      values (gen_random_uuid(), ${id}, 'push', 'push', '{}', ${clock.now()}, ${clock.now()})
      returning id`
    const address = `${path}/deliveries/${delivery?.id}`
    assert.ok((await owner.page(path)).includes(address))
    assert.match(await owner.page(address), /Deliver once more/)
    assert.equal(await led(owner, `${address}/redeliver`, {}), `${path}?done=repeated`)
    await led(owner, path, { ...hook, action: 'edit', active: '' })
    assert.match(await refused(owner, `${address}/redeliver`, {}), /not active/)
    for (const form of [path, `${list}/new`, `${path}/deliveries/1/redeliver`]) {
      assert.equal((await send(url, form, hook)).status, 401, form)
      if (at !== '/settings') assert.equal((await visitor.post(form, hook)).status, 403, form)
    }
    assert.equal(await owner.statusOf(`${list}/999999`), 404)
    assert.equal((await owner.post(`${list}/999999`, edit)).status, 404)
    assert.equal(await owner.statusOf(`${path}/deliveries/999999`), 404)
    assert.equal((await owner.post(`${path}/deliveries/999999/redeliver`)).status, 404)
    assert.equal(await led(owner, list, { action: 'remove', key: String(id) }), `${list}?done=remove`)
    assert.equal(await owner.statusOf(path), 404)
  })
}
