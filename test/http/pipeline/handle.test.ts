import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw } from '../../support/raw.ts'
import { until } from '../../support/wait.ts'

const { url, call, log } = await startApp()

await call('POST /api/news', { body: { title: 'One', content: 'first' } })

const ask = (path: string, init: RequestInit = {}) => fetch(url + path, init)

/** Sends a request line and headers as they are, and reads until the server closes. */
const send = (line: string, ...headers: string[]) =>
  exchange(url, `${[`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)

for (const path of ['/api', '/api/', '/api/nothing', '/api/news/1/2', '/api/../api/news2']) {
  test(`GET ${path} is nothing, in the shape of an error`, async () => {
    const response = await ask(path)
    assert.equal(response.status, 404)
    assert.deepEqual(await response.json(), { error: 'not found' })
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.ok(response.headers.get('x-request-id'))
  })
}

for (const target of ['*', '/%', '/api/news2/%zz', '/caf%C3%A9', '/api/news#x', 'ftp://x/api/news']) {
  test(`GET ${target} as it stands is nothing either`, async () => {
    const [reply] = await send(`GET ${target}`)
    assert.equal(reply?.status, 404)
    assert.deepEqual(JSON.parse(reply?.body ?? ''), { error: 'not found' })
  })
}

for (const [method, path, allowed] of [
  ['PUT', '/api/news', 'GET, HEAD, POST, OPTIONS'],
  ['PATCH', '/api/news', 'GET, HEAD, POST, OPTIONS'],
  ['GET', '/api/media/1', 'DELETE, OPTIONS'],
  ['POST', '/api/health', 'GET, HEAD, OPTIONS'],
  ['DELETE', '/api/stats/users', 'GET, HEAD, OPTIONS'],
  ['GET', '/api/stats/session/start', 'POST, OPTIONS'],
  ['HEAD', '/api/stats/session/end', 'POST, OPTIONS'],
  ['PROPFIND', '/api/media', 'GET, HEAD, POST, OPTIONS'],
  ['TRACE', '/api/media', 'GET, HEAD, POST, OPTIONS'],
] as const) {
  test(`${method} ${path} is not allowed, and Allow says what is`, async () => {
    const [reply] = await send(`${method} ${path}`)
    assert.equal(reply?.status, 405)
    assert.equal(reply?.headers.allow, allowed)
    assert.equal(reply?.headers['access-control-allow-origin'], '*')
    if (method !== 'HEAD') assert.deepEqual(JSON.parse(reply?.body ?? ''), { error: 'method not allowed' })
  })
}

test('a target in absolute form is served, whatever host it names', async () => {
  for (const target of [
    'http://x/api/health',
    'HTTPS://other.example:8443/api/health?a=http://b',
    'http://x//api/health',
  ]) {
    const [reply] = await send(`GET ${target}`)
    assert.deepEqual([reply?.status, reply?.body], [200, '{"ok":true}'], target)
  }
  const [root] = await send('GET http://x')
  assert.equal(root?.status, 200)
})

test('OPTIONS * says that the server is there', async () => {
  const [reply] = await send('OPTIONS *')
  assert.deepEqual([reply?.status, reply?.body], [204, ''])
  assert.ok(reply?.headers['x-request-id'])
})

test('OPTIONS answers a preflight from any origin', async () => {
  const response = await ask('/api/news', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://site.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-request-id',
    },
  })
  assert.equal(response.status, 204)
  assert.equal(await response.text(), '')
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.equal(response.headers.get('access-control-allow-methods'), 'GET, HEAD, POST, OPTIONS')
  assert.equal(response.headers.get('access-control-allow-headers'), 'content-type,x-request-id')
  assert.equal(response.headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
  assert.ok(Number(response.headers.get('access-control-max-age')) > 0)
})

test('OPTIONS of an unknown path is a 404 that a script can read', async () => {
  const response = await ask('/api/nothing', { method: 'OPTIONS' })
  assert.equal(response.status, 404)
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
})

test('every reply may be read by scripts of any origin, refusals too', async () => {
  for (const [path, init, status] of [
    ['/api/news', {}, 200],
    ['/api/news', { method: 'POST', body: '{' }, 415],
    ['/api/news', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['/api/news/77', { method: 'DELETE' }, 404],
    ['/api/news', { method: 'PUT' }, 405],
  ] as const) {
    const response = await ask(path, init)
    assert.equal(response.status, status)
    assert.equal(response.headers.get('access-control-allow-origin'), '*', `${status}`)
    assert.match(response.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/, `${status}`)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', `${status}`)
  }
})

test('HEAD has the status and headers of GET and no body', async () => {
  const get = await ask('/api/news')
  const text = await get.text()
  const [head] = await send('HEAD /api/news')
  assert.equal(head?.status, 200)
  assert.equal(head?.headers['content-length'], String(Buffer.byteLength(text)))
  assert.equal(head?.headers.etag, get.headers.get('etag'))
  const raw = await openRaw(url)
  raw.write('HEAD /api/news HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.match(await raw.closed, /\r\n\r\n$/)
})

test('a read has an entity tag of its bytes; who has them already gets 304 without a body', async () => {
  const first = await ask('/api/news')
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]+"$/)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a","b",W/${etag}`, '*', ' * ']) {
    const again = await ask('/api/news', { headers: { 'if-none-match': known } })
    assert.equal(again.status, 304, known)
    assert.equal(again.headers.get('etag'), etag)
    assert.equal(again.headers.get('cache-control'), 'no-cache')
    assert.equal(again.headers.get('access-control-allow-origin'), '*')
    assert.equal(await again.text(), '')
  }
  const [onTwoLines] = await send('GET /api/news', 'If-None-Match: "other"', `If-None-Match: ${etag}`)
  assert.equal(onTwoLines?.status, 304)
  for (const unknown of ['"other"', etag.slice(1, -1), '', 'W/"other"', `${etag}x`]) {
    const again = await ask('/api/news', { headers: { 'if-none-match': unknown } })
    assert.equal(again.status, 200, unknown)
    assert.equal(await again.text(), await (await ask('/api/news')).text())
  }
})

test('the entity tag changes with what is read', async () => {
  const before = (await ask('/api/media')).headers.get('etag')
  await call('POST /api/media', { body: { title: 'a', media_type: 'image', url: 'b' } })
  const after = await ask('/api/media', { headers: { 'if-none-match': before ?? '' } })
  assert.equal(after.status, 200)
  assert.notEqual(after.headers.get('etag'), before)
})

test('a write has no entity tag and is never answered with 304', async () => {
  const response = await ask('/api/news', {
    method: 'POST',
    body: '{"title":"a","content":"b"}',
    headers: { 'content-type': 'application/json', 'if-none-match': '*' },
  })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('etag'), null)
})

test("a caller's request id comes back and is in the log", async () => {
  for (const id of ['a', '4bf92f3577b34da6', 'req_1.2:3+4/5=6@7-8', 'x'.repeat(128)]) {
    const response = await ask('/api/health', { headers: { 'x-request-id': id } })
    assert.equal(response.headers.get('x-request-id'), id)
    await until('the request is logged', () => log.lines().some((line) => line.id === id))
  }
})

test('a request id that does not belong into a log line is replaced', async () => {
  for (const id of ['', 'a b', 'a,b', '"x"', '{"level":"error"}', 'a\u00e9', 'x'.repeat(129), '%0a']) {
    const [reply] = await send('GET /api/health', `X-Request-Id: ${id}`)
    assert.match(reply?.headers['x-request-id'] ?? '', /^[\w-]{11,36}$/, JSON.stringify(id))
  }
})

test('each request without an id gets one of its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await ask('/api/health')).headers.get('x-request-id')),
  )
  assert.equal(new Set(ids).size, 50)
})

test('a refusal says its request id too', async () => {
  const response = await ask('/api/nothing', { headers: { 'x-request-id': 'refused-1' } })
  assert.equal(response.headers.get('x-request-id'), 'refused-1')
})

test('a request to upgrade is answered without the upgrade', async () => {
  const replies = await exchange(
    url,
    'GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
  )
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body]),
    [[200, '{"ok":true}']],
  )
})

test('pipelined requests are answered in their order', async () => {
  const lines = [
    'GET /api/health',
    'GET /api/nothing',
    'GET /api/news?limit=1',
    'PUT /api/news',
    'GET /api/stats/users',
  ]
  const text = lines.map((line) => `${line} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')
  const replies = await exchange(
    url,
    `${text}GET /api/media HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 404, 200, 405, 200, 200],
  )
  assert.equal(replies[0]?.body, '{"ok":true}')
  assert.equal(replies[4]?.body, '[]')
})

test('a refused short body leaves the connection usable', async () => {
  const bad =
    'POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{'
  const nobody = 'POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde'
  const last = 'GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const replies = await exchange(url, bad + nobody + bad + last)
  assert.deepEqual(
    replies.map(({ status }) => status),
    [400, 404, 400, 200],
  )
})
