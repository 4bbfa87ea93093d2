import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

const app = await startApp({
  DATA_DIR: join(await temporaryFolder(), 'data'),
  WEBHOOK_ALLOWED_HOSTS: 'loopback',
})
const { call, url, pool, clock, make } = app
const ada = await make.person({ name: 'ada' })
const boss = await make.admin({ name: 'boss' })
await make.organization(ada, { name: 'club' })

const send = (method: string, path: string) =>
  fetch(`${url}/api/packages/${path}`, {
    method,
    headers: { authorization: ada.authorization },
    ...(method === 'PUT' && { body: 'content' }),
  })

test('webhooks of an owner and of the site receive, signed, that a version was published and deleted', async () => {
  const receiver = await startReceiver()
  const hook = (path: string) => ({
    type: 'gitea',
    active: true,
    events: ['package'],
    config: { url: receiver.url + path, content_type: 'json', secret: 'known to both' },
  })
  const ofOrg = await call('POST /api/v1/orgs/{org}/hooks', {
    as: ada,
    params: { org: 'club' },
    body: hook('/org'),
  })
  assert.equal(ofOrg.status, 201)
  const ofSite = { ...hook('/site'), config: { ...hook('/site').config, is_system_webhook: 'true' } }
  assert.equal((await call('POST /api/v1/admin/hooks', { as: boss, body: ofSite })).status, 201)

  const background = startBackground({ pool, clock })
  try {
    await send('PUT', 'club/generic/tool/1.0/a')
    await send('PUT', 'club/generic/tool/1.0/b')
    await send('DELETE', 'club/generic/tool/1.0')
    await send('PUT', 'ada/generic/mine/1.0/a')
    await until('all have arrived', () => receiver.received.length >= 5)
  } finally {
    await background.stop()
  }
  const messages = receiver.received.map(({ target, headers, body }) => {
    const signature = createHmac('sha256', 'known to both').update(body).digest('hex')
    assert.equal(headers['x-gitea-signature'], signature)
    assert.equal(headers['x-gitea-event'], 'package')
    const { action, repository, package: of, organization, sender } = JSON.parse(body)
    assert.deepEqual([repository, sender.login], [null, 'ada'])
    return `${target} ${action} ${organization?.name ?? '-'} ${of.owner.login}/${of.name}/${of.version}`
  })
  assert.deepEqual(messages.sort(), [
    '/org created club club/tool/1.0',
    '/org deleted club club/tool/1.0',
    '/site created - ada/mine/1.0',
    '/site created club club/tool/1.0',
    '/site deleted club club/tool/1.0',
  ])
})
