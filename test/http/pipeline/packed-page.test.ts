import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'

const app = await startApp()
const { url, call } = app
const ada = await makersFor(app).person({ name: 'ada' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', auto_init: true } })

/** The answer to a browser, with its body as it was sent. */
async function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}) {
  const sent = request(url + path, { method, agent: false, headers: { accept: 'text/html', ...headers } })
  const [response]: IncomingMessage[] = await once(sent.end(), 'response')
  assert.ok(response)
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

for (const path of ['/', '/explore/repos', '/ada/engine', '/ada/engine/src/branch/main/README.md']) {
  test(`GET ${path} is compressed for those who accept that, and 304 for those who have it`, async () => {
    const plain = await ask('GET', path)
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.match(plain.headers.vary ?? '', /Accept-Encoding/)
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const accepted = { 'accept-encoding': encoding }
      const packed = await ask('GET', path, accepted)
      assert.equal(packed.headers['content-encoding'], encoding)
      assert.equal(packed.headers['content-length'], String(packed.body.length))
      assert.deepEqual(unpack(packed.body), plain.body)
      assert.equal(packed.headers.etag, `W/${plain.headers.etag}`)
      assert.deepEqual(
        (await ask('HEAD', path, accepted)).headers['content-length'],
        packed.headers['content-length'],
      )
      const again = await ask('GET', path, { ...accepted, 'if-none-match': packed.headers.etag })
      assert.deepEqual([again.status, again.body.length], [304, 0])
    }
  })
}

test('a page is sent as it is behind a proxy, and so are answers that are no pages', async () => {
  for (const [path, headers] of [
    ['/', { 'x-forwarded-for': '192.0.2.1' }],
    ['/api/v1/gitignore/templates/Node', {}],
    ['/api/v1/licenses', {}],
  ] as const) {
    const { status, headers: answered } = await ask('GET', path, {
      'accept-encoding': 'br, gzip',
      ...headers,
    })
    assert.deepEqual([status, answered['content-encoding']], [200, undefined], path)
  }
})
