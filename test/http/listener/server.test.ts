import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { createHttpServer, listen, stop } from '../../../src/http/listener/server.ts'
import { siteProfile } from '../../../src/site/api.ts'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw, parseReplies } from '../../support/raw.ts'
import { held, until } from '../../support/wait.ts'

const { url, call } = await startApp()

const health = 'GET /api/health HTTP/1.1\r\nHost: x\r\n'

/** The one reply to what is no request, which must be in the shape of the API, and end the connection. */
async function refusal(text: string | Buffer) {
  const [reply, ...more] = await exchange(url, text)
  assert.deepEqual(more, [])
  assert.equal(reply?.headers.connection, 'close')
  assert.equal(reply?.headers['content-type'], 'application/json; charset=utf-8')
  // A page of another origin hears why as well.
  assert.equal(reply?.headers['access-control-allow-origin'], '*')
  return { status: reply?.status, ...JSON.parse(reply?.body ?? '') }
}

for (const [what, text] of [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
  ['a method that nobody knows', 'BREW /api/news HTTP/1.1\r\n\r\n'],
  ['a version that nobody speaks', 'GET /api/news HTTP/9.9\r\n\r\n'],
  ['a blank in the path', 'GET /api/ news HTTP/1.1\r\n\r\n'],
  ['a header without a colon', `${health}no colon\r\n\r\n`],
  ['a header name with a blank', `${health}a b: c\r\n\r\n`],
  ['a NUL in a header', `${health}a: b\0c\r\n\r\n`],
  ['a folded header', `${health}a: b\r\n c\r\nContent-Length: x\r\n\r\n`],
  ['a length that is no number', `${health}Content-Length: five\r\n\r\n`],
  ['a negative length', `${health}Content-Length: -5\r\n\r\n`],
  ['two lengths', `${health}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`],
  ['a length and chunks', `${health}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a transfer encoding that hides the end', `${health}Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n`],
] as const) {
  test(`${what} is refused as a 400 in the API's shape`, async () => {
    assert.deepEqual(await refusal(text), { status: 400, error: 'the request is not valid HTTP' })
  })
}

for (const [what, flood] of [
  ['one long header', `a: ${'x'.repeat(100_000)}\r\n`],
  ['thousands of headers', Array.from({ length: 5000 }, (_, at) => `h${at}: x\r\n`).join('')],
  ['a long header name', `${'x'.repeat(20_000)}: a\r\n`],
] as const) {
  test(`a flood of headers is refused as a 431: ${what}`, async () => {
    assert.deepEqual(await refusal(`${health}${flood}\r\n`), {
      status: 431,
      error: 'the headers are too large',
    })
  })
}

/** So many headers, `last` being the last of them. */
const headersUpTo = (count: number, last: string) =>
  `${Array.from({ length: count - 1 }, (_, at) => `h${at}: x\r\n`).join('')}${last}\r\n\r\n`

test('the hundredth header is read like the first', async () => {
  const [reply] = await exchange(
    url,
    `${health}Connection: close\r\n${headersUpTo(98, 'X-Request-Id: the-last')}`,
  )
  assert.deepEqual([reply?.status, reply?.headers['x-request-id']], [200, 'the-last'])
})

for (const [path, body] of [
  ['/api/health', { error: 'the request has more than 100 headers' }],
  ['/api/nothing', { error: 'the request has more than 100 headers' }],
  ['/api/v1/licenses', { message: 'the request has more than 100 headers' }],
] as const) {
  test(`GET ${path} with more than a hundred headers is refused, whatever was remembered of it`, async () => {
    await fetch(url + path)
    const [reply] = await exchange(
      url,
      `GET ${path} HTTP/1.1\r\nConnection: close\r\n${headersUpTo(100, 'X-Request-Id: the-last')}`,
    )
    assert.deepEqual([reply?.status, reply?.headers['x-request-id']], [431, 'the-last'])
    const { url: _, ...said } = JSON.parse(reply?.body ?? '')
    assert.deepEqual(said, body)
  })
}

test('what is sent behind more than a hundred headers is not kept, and the connection goes on', async () => {
  const body = JSON.stringify({ title: 'Never', content: 'read' })
  const post = `POST /api/news HTTP/1.1\r\n${headersUpTo(101, `Content-Length: ${body.length}`)}${body}`
  const replies = await exchange(url, `${post}${health}Connection: close\r\n\r\n`)
  assert.deepEqual(
    replies.map(({ status }) => status),
    [431, 200],
  )
  assert.deepEqual((await call('GET /api/news')).body, [])
})

test('a path that is too long is refused as a 431 or 414', async () => {
  const { status } = await refusal(`GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`)
  assert.ok(status === 431 || status === 414, String(status))
})

test('garbage after an answered request is refused in words as well', async () => {
  const raw = await openRaw(url)
  raw.write(`${health}\r\n`)
  await until('the first is answered', () => raw.received().endsWith('{"ok":true}'))
  raw.write(`${health}a: ${'x'.repeat(100_000)}\r\n\r\n`)
  const replies = parseReplies(await raw.closed)
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 431],
  )
})

for (const [what, rest] of [
  ['garbage', 'garbage\r\n\r\n'],
  ['a flood of headers', `${health}a: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['a request whose chunks are none', `${health}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
] as const) {
  test(`${what} right behind a request does not take its answer`, async () => {
    const body = JSON.stringify({ username: what })
    const length = `Content-Length: ${body.length}\r\n\r\n`
    const head = 'POST /api/stats/session/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
    const replies = await exchange(url, head + length + body + rest)
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201],
    )
    assert.ok(JSON.parse(replies[0]?.body ?? '').sessionId)
  })
}

test('a chunk that is none is refused, and what was sent is not kept', async () => {
  const [reply] = await exchange(
    url,
    'POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  )
  assert.equal(reply?.status, 400)
  assert.ok(JSON.parse(reply?.body ?? '').error)
  assert.deepEqual((await call('GET /api/news')).body, [])
})

/** The replies to a client that ends its side behind `text`, and reads. */
async function repliesAfterEnd(text: string) {
  const raw = await openRaw(url)
  raw.socket.end(text)
  return parseReplies(await raw.closed)
}

for (const path of ['/api/news', '/api/stats/users', '/api/nothing', '/api/v1/version', '/api/v1/user']) {
  test(`GET ${path} is answered whole to a client that has ended its side`, async () => {
    const [reply, ...more] = await repliesAfterEnd(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.deepEqual(more, [])
    assert.equal(Buffer.byteLength(reply?.body ?? ''), Number(reply?.headers['content-length']))
    assert.equal(reply?.status, (await fetch(url + path)).status)
  })
}

const start = (username: string) => {
  const body = JSON.stringify({ username })
  const head = 'POST /api/stats/session/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
}

for (const [what, rest] of [
  ['nothing more', ''],
  ['half a head', 'GET /api/ne'],
  ['half a body', start('half').slice(0, -4)],
] as const) {
  test(`all that came whole is answered to a client that has ended its side, with ${what}`, async () => {
    const replies = await repliesAfterEnd(`${start('one')}${health}\r\n${start('two')}${rest}`)
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 200, 201],
    )
  })
}

test('a client that ends its side in a body whose request is answered gets no second answer', async () => {
  const raw = await openRaw(url)
  raw.write('POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab')
  await until('it is answered', () => raw.received().endsWith('}'))
  raw.socket.end()
  assert.deepEqual(
    parseReplies(await raw.closed).map(({ status }) => status),
    [404],
  )
})

test('a connection whose client ends its side between requests is closed', async () => {
  const raw = await openRaw(url)
  raw.write(`${health}\r\n`)
  await until('it is answered', () => raw.received().endsWith('}'))
  raw.socket.end()
  assert.equal(parseReplies(await raw.closed).length, 1)
})

test('HTTP/1.0 without Host is served and closed', async () => {
  const [reply] = await exchange(url, 'GET /api/health HTTP/1.0\r\n\r\n')
  assert.equal(reply?.status, 200)
  assert.equal(reply?.headers.connection, 'close')
})

for (const [what, hosts] of [
  ['no Host', ''],
  ['two Hosts', 'Host: x\r\nhost: y\r\n'],
] as const) {
  test(`HTTP/1.1 with ${what} is refused, and the connection goes on`, async () => {
    const replies = await exchange(
      url,
      `GET /api/health HTTP/1.1\r\n${hosts}\r\n${health}Connection: close\r\n\r\n`,
    )
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body]),
      [
        [400, '{"error":"an HTTP/1.1 request needs exactly one Host header"}'],
        [200, '{"ok":true}'],
      ],
    )
  })
}

for (const host of [
  '',
  'x',
  'X.example.',
  'my_host:80',
  'x:',
  '256',
  '_x',
  '1.2.3.4:3000',
  '[::1]',
  '[::1]:3000',
  'xn--bcher-kva.example',
]) {
  test(`the Host "${host}" is served`, async () => {
    const [reply] = await exchange(url, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    assert.equal(reply?.status, 200)
  })
}

for (const host of [
  'x:99999',
  'x:65536',
  ':80',
  '1.2.3.999',
  '1.2.3.4.5',
  '4294967296',
  '[1]',
  '[::1',
  '[::1%25eth0]',
  '[1.2.3.4]',
  // URLs of Node 24 can contain these.
  ...['xn--a', 'xn--.example'].filter((host) => !URL.canParse(`http://${host}/`)),
  '.',
  'a b',
  'a/b',
  'a\\b',
  'a?b',
  'a#b',
  'u@h',
  'a%41',
  'b\u00fccher.example',
  '"><script>',
  'a,b',
]) {
  test(`the Host "${host}" is refused on every door, and the connection goes on`, async () => {
    const paths = [
      '/api/health',
      '/api/v1/version',
      '/',
      '/login',
      '/overview',
      '/nobody/nothing',
      '/nobody/r.git/info/refs',
    ]
    const text = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`)
    const raw = Buffer.from(`${text.join('')}${health}Connection: close\r\n\r\n`, 'latin1')
    const replies = await exchange(url, raw)
    assert.deepEqual(
      replies.map(({ status }) => status),
      [...paths.map(() => 400), 200],
    )
  })
}

test('a connection is closed after a request that asks to upgrade, and nothing is read after it', async () => {
  const upgrade = `${health}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
  const raw = await openRaw(url)
  raw.write(`${upgrade}GET /api/news HTTP/1.1\r\nHost: x\r\nX-Of-One-Request: `)
  await until('it is answered', () => raw.received().endsWith('}'))
  raw.write(`${start('inside')}`)
  const replies = parseReplies(await raw.closed)
  assert.deepEqual(
    replies.map(({ status, headers }) => [status, headers.connection]),
    [[200, 'close']],
  )
  const online = await call('GET /api/stats/users')
  assert.doesNotMatch(JSON.stringify(online.body), /inside/)
})

test('CONNECT is refused: the server is no proxy', async () => {
  assert.deepEqual(await refusal('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'), {
    status: 400,
    error: 'the request is not valid HTTP',
  })
})

test('listen gives the port, and fails when it is taken', async () => {
  const one = createHttpServer((_, res) => res.end(), siteProfile)
  const port = await listen(one, 0, '127.0.0.1')
  assert.ok(port > 0)
  const other = createHttpServer((_, res) => res.end(), siteProfile)
  await assert.rejects(listen(other, port, '127.0.0.1'), { code: 'EADDRINUSE' })
  await stop(one, 1000)
})

test('stop lets what has begun finish, and takes nothing new', async () => {
  const arrived = held<void>()
  const going = held<void>()
  const server = createHttpServer((_, res) => {
    arrived.resolve()
    void going.promise.then(() => res.end('finished'))
  }, siteProfile)
  const address = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  const idle = await openRaw(address)
  const begun = fetch(address)
  await arrived.promise
  const stopped = stop(server, 60_000)
  await idle.closed
  await assert.rejects(openRaw(address))
  going.resolve()
  assert.equal(await (await begun).text(), 'finished')
  await stopped
})

test('stop cuts what does not finish', async () => {
  const arrived = held<void>()
  const server = createHttpServer(() => arrived.resolve(), siteProfile)
  const address = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  const begun = fetch(address)
  await arrived.promise
  await Promise.all([stop(server, 10), assert.rejects(begun)])
})

/** A server, and a client that has asked it for a proxy, was refused, and keeps its side open. */
async function refusedAsProxy() {
  const server = createHttpServer((_, res) => res.end(), siteProfile)
  const port = await listen(server, 0, '127.0.0.1')
  const accepted: Promise<Socket[]> = once(server, 'connection')
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
  await once(client.resume(), 'end')
  return { server, client, accepted }
}

test('stop disconnects a client that has sent CONNECT', async () => {
  const { server, client } = await refusedAsProxy()
  await stop(server, 10)
  client.destroy()
})

test('a client that sends CONNECT and resets its connection affects no other', async () => {
  const { server, client, accepted } = await refusedAsProxy()
  const [socket] = await accepted
  client.resetAndDestroy()
  if (socket && !socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  await stop(server, 10)
})

test('stop ends a connection that is kept alive after its last answer', async () => {
  const arrived = held<void>()
  const going = held<void>()
  const server = createHttpServer((_, res) => {
    arrived.resolve()
    void going.promise.then(() => res.end('finished'))
  }, siteProfile)
  const address = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  const raw = await openRaw(address)
  raw.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await arrived.promise
  const stopped = stop(server, 60_000)
  going.resolve()
  assert.match(await raw.closed, /finished/)
  await stopped
})

test('the times against slow peers are set; bodies have their own', () => {
  const server = createHttpServer((_, res) => res.end(), siteProfile)
  assert.ok(server.headersTimeout > 0 && server.headersTimeout <= 30_000)
  assert.ok(server.timeout > 60_000 && server.timeout <= 120_000)
  assert.equal(server.requestTimeout, 0)
})

test('a silent connection affects no other', async () => {
  const silent = await Promise.all(Array.from({ length: 200 }, () => openRaw(url)))
  assert.equal((await call('GET /api/health')).status, 200)
  for (const { socket } of silent) socket.destroy()
  await Promise.all(silent.map(({ closed }) => closed))
})

test('a client that does not read its pipelined answers affects no other', async () => {
  const raw = await openRaw(url)
  raw.socket.pause()
  raw.write(`${health}\r\n`.repeat(2000))
  assert.equal((await call('GET /api/health')).status, 200)
  raw.socket.destroy()
  await once(raw.socket, 'close')
})

test('a stop cuts requests that do not end, also those of a server that counts no connections', async () => {
  const server = createServer(() => {})
  const port = await listen(server, 0, '127.0.0.1')
  const arrived = once(server, 'request')
  const begun = fetch(`http://127.0.0.1:${port}/`)
  await arrived
  await Promise.all([stop(server, 10), assert.rejects(begun)])
})
