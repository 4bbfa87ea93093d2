import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEverything } from '../../support/forge/everything.ts'
import { holdClean, hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const { ada, call, url, hooks, pool } = await startEverything()
const { page, done, refused, post, statusOf } = await signedIn({ url }, 'ada')

const newest = async () => (await call('GET /api/v1/admin/audit', { as: ada })).body.entries[0]
const hook = async (id: number) =>
  (await call('GET /api/v1/admin/hooks/{id}', { as: ada, params: { id } })).body
const good = { type: 'gitea', url: 'https://receiver.example/x', content_type: 'json', name: 'Builds' }

test('POST /-/admin/new/webhook creates a webhook of the site, as the API does', async () => {
  await page('/-/admin/new/webhook')
  const fields = {
    ...good,
    active: 'on',
    scope: 'default',
    'event-push': 'on',
    'event-issues': 'on',
    secret: 'hidden',
  }
  const shown = await done('/-/admin/new/webhook', fields)
  const [, id = ''] = /admin\/webhooks\/(\d+)">Builds</.exec(shown) ?? []
  assert.doesNotMatch(await page('/-/admin/webhooks'), />Builds</)
  const made = await hook(Number(id))
  assert.deepEqual([made.active, made.events, made.config.url], [true, ['push', 'issues'], good.url])
  assert.equal((await newest()).action, 'hook.created')
  assert.doesNotMatch(await page(`/-/admin/webhooks/${id}`), /value="hidden"/)
  assert.match(await refused(`/-/admin/webhooks/${id}/edit`, good), /tick at least one event/)
  const quiet = { ...good, name: 'Quiet <b>', branch_filter: 'main', 'event-release': 'on' }
  const secrets = async () => {
    const [row] = await pool`
      select secret is not null as secret, authorization_header is not null as authorization, md5(secret) as sum
      from forge.hook where id = ${id}`
    return row
  }
  const { sum } = (await secrets()) ?? {}
  await done(`/-/admin/webhooks/${id}/edit`, { ...quiet, secret: 'other', authorization_header: 'Bearer x' })
  assert.notEqual((await secrets())?.sum, sum, 'a new secret counts')
  await done(`/-/admin/webhooks/${id}/edit`, quiet)
  assert.deepEqual([(await secrets())?.secret, (await secrets())?.authorization], [true, true])
  await done(`/-/admin/webhooks/${id}/edit`, { ...quiet, remove_secret: 'on', remove_authorization: 'on' })
  assert.deepEqual([(await secrets())?.secret, (await secrets())?.authorization], [false, false])
  const edited = await hook(Number(id))
  assert.deepEqual(
    [edited.name, edited.active, edited.events, edited.branch_filter],
    ['Quiet <b>', false, ['release'], 'main'],
  )
  assert.equal((await newest()).action, 'hook.edited')
  assert.match(
    await refused(`/-/admin/webhooks/${id}/edit`, { ...quiet, url: 'nonsense' }),
    /id="url"[^>]* aria-invalid="true"/,
  )
  assert.match(await page(`/-/admin/webhooks/${id}/delete`), /Delete Quiet &lt;b&gt;/)
  await done(`/-/admin/webhooks/${id}/delete`)
  assert.equal((await newest()).action, 'hook.deleted')
  for (const path of ['', '/delete']) assert.equal(await statusOf(`/-/admin/webhooks/${id}${path}`), 404)
  for (const path of ['edit', 'delete'])
    assert.equal((await post(`/-/admin/webhooks/${id}/${path}`, good)).status, 404)
})

test('POST /-/admin/new/webhook says what is wrong beside the field, and keeps what was written', async () => {
  for (const [field, value] of [
    ['url', ''],
    ['url', 'javascript:alert(1)'],
    ['branch_filter', '['],
    ['authorization_header', 'é\u0001'],
    ['name', 'x'.repeat(256)],
  ] as const) {
    const fields = { ...good, channel: '#here', 'event-push': 'on', [field]: value }
    const shown = await refused('/-/admin/new/webhook', fields)
    assert.match(
      shown,
      new RegExp(`id="${field}"[^>]* aria-invalid="true"[^>]* autofocus`),
      `${field} ${value}`,
    )
    assert.match(shown, /value="#here"/)
  }
  assert.match(
    await refused('/-/admin/new/webhook', { ...good, type: 'slack', 'event-push': 'on' }),
    /id="channel"[^>]* aria-invalid/,
  )
  for (const text of hostile) {
    const fields = {
      type: 'gitea',
      url: text,
      name: text,
      branch_filter: text,
      content_type: text,
      channel: text,
    }
    holdClean(await refused('/-/admin/new/webhook', fields))
  }
})

test('POST /-/admin/webhooks/{id}/test sends the newest commit of a repository to a webhook', async () => {
  const address = `/-/admin/webhooks/${hooks.site}`
  const sent = async () => {
    const [{ count }] = await pool<[{ count: number }]>`
      select count(*)::int as count from forge.hook_delivery where hook_id = ${hooks.site}`
    return count
  }
  const before = await sent()
  await done(`${address}/test`, { repository: 'ada/code' })
  assert.deepEqual([await sent(), (await newest()).action], [before + 1, 'hook.tried'])
  for (const repository of ['', 'ada', 'ada/nothing', 'nobody/code', 'ada/code/x', ...hostile]) {
    const shown = await refused(`${address}/test`, { repository })
    assert.match(shown, /id="repository"[^>]* aria-invalid="true"[^>]* autofocus/, repository)
  }
  assert.equal(await sent(), before + 1)
  assert.equal((await post('/-/admin/webhooks/999999/test', { repository: 'ada/code' })).status, 404)
})

test('GET /-/admin/webhooks/{id} shows deliveries, and POST …/redeliver repeats one', async () => {
  const address = `/-/admin/webhooks/${hooks.site}`
  const shown = await page(address)
  const [, id = ''] = new RegExp(`${address}/deliveries/(\\d+)"`).exec(shown) ?? []
  const delivery = await page(`${address}/deliveries/${id}`)
  assert.match(delivery, /What is sent<\/h2>/)
  await done(`${address}/deliveries/${id}/redeliver`)
  assert.equal((await newest()).action, 'hook.redelivered')
  const [row] = await pool<[{ count: number }]>`
    select count(*) as count from forge.hook_delivery where redelivery_of = ${id}`
  assert.equal(row.count, 1)
  assert.equal(await statusOf(`${address}/deliveries/999999`), 404)
  await call('PATCH /api/v1/admin/hooks/{id}', {
    as: ada,
    params: { id: hooks.site },
    body: { active: false },
  })
  assert.match(await refused(`${address}/deliveries/${id}/redeliver`), /not active/)
  assert.equal((await post(`/-/admin/webhooks/999999/deliveries/1/redeliver`)).status, 404)
})
