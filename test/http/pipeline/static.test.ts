import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { preferredEncoding } from '../../../src/http/pipeline/static.ts'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw } from '../../support/raw.ts'

for (const [accepted, expected] of [
  ['br', 'br'],
  ['BR', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.8, *;q=0.1', 'br'],
  ['br;q=0.001', 'br'],
  ['br ; Q=0.5', 'br'],
  ['br;q=1.000,identity', 'br'],
  ['br;q=0.5, *;q=0', 'br'],
  ['identity;q=0, br;q=0.1', 'br'],
  ['*', 'br'],
  ['*;q=0.5, identity;q=0', 'br'],
  ['gzip, *', 'br'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['GZIP;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.4, identity;q=0.5', 'identity'],
  ['gzip;q=0', 'identity'],
  ['identity', 'identity'],
  ['identity;q=0', 'identity'],
  ['brown, x-br, br2', 'identity'],
  ['br;q=0', 'identity'],
  ['br;q=0.000', 'identity'],
  ['br;Q=0, *', 'gzip'],
  ['*;q=0', 'identity'],
  ['identity, br;q=0.9', 'identity'],
  ['br;q=0.2, *;q=0.5', 'gzip'],
  ['br;q=', 'identity'],
  ['br;q=-1', 'identity'],
  ['br;q=much', 'identity'],
  [',;,;q=1,', 'identity'],
] as const) {
  test(`who accepts "${accepted}" gets ${expected}`, () => {
    for (let time = 0; time < 2; time++) assert.equal(preferredEncoding(accepted), expected)
  })
}

test('the decision holds for its own header, however many others there are', () => {
  for (let at = 0; at < 1000; at++) {
    assert.equal(preferredEncoding(`br, x-${at}`), 'br')
    assert.equal(preferredEncoding(`br;q=0, x-${at}`), 'identity')
  }
})

const { url } = await startApp()

/** The answer to one request on a connection of its own. */
async function ask(line: string, ...headers: string[]) {
  const head = [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers]
  const [reply] = await exchange(url, `${head.join('\r\n')}\r\n\r\n`)
  assert.ok(reply)
  return reply
}

for (const path of ['/api/swagger', '/openapi3.v1.json', '/api/swagger/start.js?again']) {
  test(`GET ${path} has the same answer each time, in each encoding, with an id of its own`, async () => {
    const [plain, packed] = [await ask(`GET ${path}`), await ask(`GET ${path}`, 'Accept-Encoding: br')]
    assert.deepEqual(
      [plain.headers['content-encoding'], packed.headers['content-encoding']],
      [undefined, 'br'],
    )
    assert.notEqual(plain.headers.etag, packed.headers.etag)
    for (let time = 0; time < 2; time++) {
      for (const [first, ...accepted] of [
        [plain],
        [packed, 'Accept-Encoding: gzip', 'Accept-Encoding: br'],
      ] as const) {
        const id = `caller-${time}-${accepted.length}`
        const again = await ask(`GET ${path}`, ...accepted, `X-Request-Id: ${id}`)
        const { 'x-request-id': ours, date, ...headers } = again.headers
        const { 'x-request-id': other, date: earlier, ...firsts } = first.headers
        assert.deepEqual([again.status, ours, headers], [200, id, firsts])
        assert.ok(date && earlier && other !== id)
        assert.equal(again.body, first.body)
      }
    }
  })

  test(`HEAD ${path} has the headers of GET, and who has the bytes gets 304, in each encoding`, async () => {
    for (const accepted of ['identity', 'gzip', 'br']) {
      const encoding = `Accept-Encoding: ${accepted}`
      const { headers } = await ask(`GET ${path}`, encoding)
      const raw = await openRaw(url)
      raw.write(`HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${encoding}\r\n\r\n`)
      const head = await raw.closed
      assert.match(head, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/)
      for (const name of ['ETag', 'Content-Length', 'Vary'])
        assert.ok(head.includes(`${name}: ${headers[name.toLowerCase()]}\r\n`), name)
      const again = await ask(`GET ${path}`, encoding, `If-None-Match: ${headers.etag}`)
      assert.deepEqual([again.status, again.body, again.headers.etag], [304, '', headers.etag])
    }
  })
}

test('the compressed bytes decompress to the plain ones, also for simultaneous requests', async () => {
  const read = async (accepted: string) => {
    const raw = await openRaw(url)
    raw.write(
      `GET /swagger.v1.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${accepted}\r\n\r\n`,
    )
    const received = await raw.closed
    return Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1')
  }
  const [plain, packed, zipped, packedToo] = await Promise.all(['', 'br', 'gzip', '*'].map(read))
  assert.ok(plain && packed && zipped && packedToo)
  assert.deepEqual(packedToo, packed)
  assert.deepEqual(gunzipSync(zipped), plain)
  assert.deepEqual(brotliDecompressSync(packed), plain)
})

test('a static name that is unknown stays unknown, and other methods stay refused', async () => {
  for (let time = 0; time < 2; time++) {
    assert.equal((await ask('GET /api/swagger/nothing.js')).status, 404)
    assert.equal((await ask('GET /api/swagger')).status, 200)
    assert.equal((await ask('POST /api/swagger')).status, 405)
  }
})
