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
const own = await signedIn(app, 'ada')
const path = '/settings/picture'
const pixel = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
  ),
)

function sendPicture(content: Uint8Array<ArrayBuffer> | string, cookie = own.cookie, action = 'set') {
  const body = new FormData()
  body.append('action', action)
  body.append('files', new Blob([content]), content.length === 0 ? '' : 'me.png')
  const headers = { ...sameOrigin, ...(cookie !== '' && { cookie }) }
  return fetch(url + path, { method: 'POST', redirect: 'manual', headers, body })
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
