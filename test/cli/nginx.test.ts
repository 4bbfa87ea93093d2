import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { TcpSocketConnectOpts } from 'node:net'
import { after, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { startApp } from '../support/app.ts'
import { makersFor } from '../support/forge/make.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { parseReplies } from '../support/raw.ts'
import { until } from '../support/wait.ts'

const skip = !hasNginx && 'nginx or openssl is not installed'
const app = await startApp()
const nginx = hasNginx ? await startNginx(app.url) : undefined
const ada = await makersFor(app).admin({ name: 'ada' })
const open = new Set<TLSSocket>()
after(async () => {
  for (const socket of open) socket.destroy()
  await nginx?.close()
})

/** A connection from an address of this machine, on which `text` has been written. */
function send(from: string, text: string) {
  const options: ConnectionOptions & TcpSocketConnectOpts = {
    host: '127.0.0.1',
    port: nginx?.port ?? 0,
    localAddress: from,
    ca: nginx?.ca,
    servername: 'forge.example.org',
  }
  const socket = connect(options)
  open.add(socket)
  let received = ''
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.setEncoding('latin1').on('error', () => {})
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.write(text)
  return { socket, closed, received: () => received }
}

/** A whole request and its reply. */
async function ask(from: string, first: string, body = '', headers = '') {
  const host = 'Host: forge.example.org\r\nConnection: close\r\n'
  const type = 'Content-Type: application/json\r\n'
  const head = `${first} HTTP/1.1\r\n${host}${type}${headers}Content-Length: ${body.length}\r\n\r\n`
  const sent = send(from, head + body)
  await sent.closed
  const [reply] = parseReplies(sent.received())
  assert.ok(reply, sent.received())
  return reply
}

const news = '{"title":"a","content":"b"}'
const inside = '127.0.0.1'
const outside = '127.0.0.2'

test('docs/nginx.conf is valid, without warnings', { skip }, () => {
  assert.match(nginx?.tested ?? '', /test is successful/)
  assert.doesNotMatch(nginx?.tested ?? '', /\[(warn|error|emerg)\]/)
})

test('docs/nginx.conf serves both APIs over TLS and tells who asks, and how', { skip }, async () => {
  assert.deepEqual(JSON.parse((await ask(outside, 'GET /api/health')).body), { ok: true })
  const version = await ask(outside, 'GET /api/v1/version')
  assert.equal(version.status, 200)
  assert.match(version.headers['x-request-id'] ?? '', /^[0-9a-f]{32}$/)
  assert.equal(version.headers['strict-transport-security'], 'max-age=31536000')
})

test('docs/nginx.conf compresses pages, and speaks HTTP/2', { skip }, async () => {
  const packed = await ask(outside, 'GET /overview', '', 'Accept-Encoding: gzip\r\n')
  assert.deepEqual([packed.status, packed.headers['content-encoding']], [200, 'gzip'])
  const etag = packed.headers.etag ?? ''
  const again = await ask(outside, 'GET /overview', '', `If-None-Match: ${etag}\r\n`)
  assert.equal(again.status, 304)
  const client = connectHttp2(`https://127.0.0.1:${nginx?.port}`, {
    ...(nginx && { ca: nginx.ca }),
    servername: 'forge.example.org',
  })
  try {
    const stream = client.request({ ':path': '/api/health' })
    const [headers] = await once(stream, 'response')
    assert.equal(headers[':status'], 200)
  } finally {
    client.destroy()
  }
})

test('docs/nginx.conf lets only this machine publish and delete news and media', { skip }, async () => {
  assert.equal((await ask(inside, 'POST /api/news', news)).status, 201)
  const media = '{"title":"a","media_type":"image","url":"u"}'
  for (const [first, body] of [
    ['POST /api/news', news],
    ['POST //api//news', news],
    ['POST /api/%6eews', news],
    ['DELETE /api/news/1', ''],
    ['POST /api/media', media],
    ['DELETE /api/media/1', ''],
    ['PUT /api/news/1', news],
  ] as const) {
    const reply = await ask(outside, first, body, 'Origin: https://other.example\r\n')
    assert.equal(reply.status, 403, first)
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.equal(JSON.parse(reply.body).error, 'news and media cannot be changed from this address')
  }
  for (const first of ['GET /api/news', 'HEAD /api/media', 'GET /api/stats/overview'])
    assert.equal((await ask(outside, first)).status, 200, first)
  const preflight = await ask(outside, 'OPTIONS /api/news', '', 'Origin: https://other.example\r\n')
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, '*'])
  assert.equal((await ask(outside, 'POST /api/stats/session/start', '{"username":"v"}')).status, 201)
  assert.equal((await ask(inside, 'DELETE /api/news/1')).status, 204)
})

test('docs/nginx.conf leaves the answers of the APIs as they are', { skip }, async () => {
  const authorization = `Authorization: ${ada.authorization}\r\n`
  const created = await ask(outside, 'POST /api/v1/orgs', '{"username":"engines"}', authorization)
  assert.equal(created.status, 201)
  const missing = await ask(outside, 'GET /api/v1/repos/ada/nothing')
  assert.equal(missing.status, 404)
  assert.ok(JSON.parse(missing.body).message)
  const large = await ask(outside, 'POST /api/stats/session/start', ' '.repeat(1_048_577))
  assert.deepEqual(JSON.parse(large.body), { error: 'the body is larger than 1048576 bytes' })
  const huge = send(
    outside,
    'POST /api/v1/markdown HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 67108865\r\n\r\n',
  )
  await until('the largest is refused', () => huge.received().startsWith('HTTP/1.1 413 '))
})

test('docs/nginx.conf keeps unfinished bodies to itself, but streams pushes and packages', {
  skip,
}, async () => {
  const begin = (first: string) =>
    send(
      outside,
      `${first} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`,
    )
  const kept = begin('POST /api/v1/user/repos')
  const streamed = ['POST /ada/r.git/git-receive-pack', 'PUT /api/packages/ada/generic/a/1/f'].map(begin)
  // They are refused before their bodies are complete, because nobody is signed in.
  for (const { received } of streamed)
    await until('the head is answered', () => received().startsWith('HTTP/1.1 401 '))
  assert.equal(kept.received(), '')
  kept.socket.write(':"b"}')
  await until('the rest is answered', () => kept.received().startsWith('HTTP/1.1 401 '))
})

test('docs/nginx.conf limits the requests of one client, and of no other', { skip }, async () => {
  const unfinished = 'POST /api/stats/session/start HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'
  const attackers = Array.from({ length: 110 }, () => send('127.0.0.3', unfinished))
  const refused = () => attackers.filter(({ received }) => received().startsWith('HTTP/1.1 429 '))
  await until('the limit is reached', () => refused().length >= 10)
  assert.match(
    refused()[0]?.received() ?? '',
    /retry-after: 1\r\n.*"error":"too many requests at the same time"/is,
  )
  assert.equal((await ask('127.0.0.3', 'GET /api/news')).status, 429)
  assert.equal((await ask('127.0.0.4', 'GET /api/news')).status, 200)
  for (const { socket } of attackers) socket.destroy()
  await until(
    'the client is served again',
    async () => (await ask('127.0.0.3', 'GET /api/news')).status === 200,
  )
})
