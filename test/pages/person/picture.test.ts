import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { holdClean, sameOrigin, send } from '../browser.ts'
import { led } from '../forms.ts'

const data = join(await temporaryFolder(), 'data')
const app = await startApp({ DATA_DIR: data })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.organization(ada, { name: 'guild' })
await make.repository(ada, { name: 'code' })
await make.person({ name: 'eve' })
const [own, eve] = [await signedIn(app, 'ada'), await signedIn(app, 'eve')]
const path = '/settings/picture'
const pixel = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
  ),
)

function sendPicture(content: Uint8Array<ArrayBuffer> | string, cookie = own.cookie, to = path) {
  const body = new FormData()
  body.append('action', 'set')
  body.append('files', new Blob([content]), content.length === 0 ? '' : 'me.png')
  const headers = { ...sameOrigin, ...(cookie !== '' && { cookie }) }
  return fetch(url + to, { method: 'POST', redirect: 'manual', headers, body })
}

const pictureOf = async () => (await call('GET /api/v1/user', { as: ada })).body.avatar_url as string

test('POST /settings/picture sets the picture of one’s account, and removes it', async () => {
  const drawn = await pictureOf()
  assert.match(await own.page(path), /enctype="multipart\/form-data"/)
  const set = await sendPicture(pixel)
  assert.equal(set.status, 303, await set.text())
  assert.notEqual(await pictureOf(), drawn)
  assert.match(await own.page(path), /Remove the picture/)
  await led(own, path, { action: 'delete' })
  assert.equal(await pictureOf(), drawn)
})

test('POST /settings/picture refuses what is no picture, and keeps nothing of it', async () => {
  const before = await pictureOf()
  for (const [content, status, reason] of [
    ['', 422, /Choose a picture/],
    ['<svg onload=alert(1)>', 422, /class="fault"/],
    [new Uint8Array(1024 ** 2 + 1), 413, /is larger than/],
  ] as const) {
    const response = await sendPicture(content)
    const page = await response.text()
    assert.equal(response.status, status, page)
    assert.match(page, reason)
    holdClean(page)
  }
  assert.equal((await own.post(path, { action: 'set' })).status, 422)
  assert.equal((await own.post(path, { action: 'x' })).status, 400)
  assert.equal((await sendPicture(pixel, '')).status, 401)
  const crossed = { cookie: own.cookie, 'sec-fetch-site': 'cross-site' }
  assert.equal((await send(url, path, { action: 'delete' }, crossed)).status, 403)
  assert.equal(await pictureOf(), before)
  assert.deepEqual(await readdir(join(data, 'packages', '.temporary')), [])
})

for (const [path, api, params] of [
  ['/org/guild/settings/picture', '/api/v1/orgs/{org}', { org: 'guild' }],
  ['/ada/code/settings/picture', '/api/v1/repos/{owner}/{repo}', { owner: 'ada', repo: 'code' }],
] as const)
  test(`POST ${path} sets a picture and removes it, for those who may`, async () => {
    const shown = async () => (await call(`GET ${api}`, { as: ada, params })).body.avatar_url as string
    const before = await shown()
    assert.match(await own.page(path), path.startsWith('/org') ? /avatars\// : /No picture of its own/)
    assert.equal((await sendPicture('<svg>', own.cookie, path)).status, 422)
    assert.equal((await sendPicture(pixel, eve.cookie, path)).status, 403)
    assert.equal((await sendPicture(pixel, '', path)).status, 401)
    assert.equal((await own.post(path, { action: 'x' })).status, 400)
    assert.equal(await shown(), before)
    const set = await sendPicture(pixel, own.cookie, path)
    assert.equal(set.status, 303, await set.text())
    assert.match(await shown(), /avatars\/pictures\//)
    assert.match(await own.page(path), /Remove the picture/)
    await led(own, path, { action: 'delete' })
    assert.equal(await shown(), before)
  })
