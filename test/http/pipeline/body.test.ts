import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { after, test } from 'node:test'
import { listen } from '../../../src/http/listener/server.ts'
import { type BodyLimits, readBody } from '../../../src/http/pipeline/body.ts'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw, parseReplies } from '../../support/raw.ts'
import { held, until } from '../../support/wait.ts'

const { url, call, pool, log } = await startApp({ BODY_LIMIT: '64k' })

async function countPosts(): Promise<number> {
  const [row] = await pool<[{ posts: number }]>`select count(*) as posts from site.news_post`
  return row.posts
}

/** Posts raw bytes as a news post and gives the reply; whatever happens, nothing may be written. */
async function refused(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const before = await countPosts()
  const response = await fetch(`${url}/api/news`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  assert.equal(await countPosts(), before)
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  return { status: response.status, ...((await response.json()) as { error: string }) }
}

const around = (...bytes: number[]) =>
  Buffer.concat([Buffer.from('{"title":"'), Buffer.from(bytes), Buffer.from('","content":"b"}')])

/** Malformed bodies, by what is said of them. */
const malformed: Record<string, Record<string, string | Uint8Array<ArrayBuffer>>> = {
  'the body is not valid JSON': {
    'a word': 'title',
    'half an object': '{"title":"a","content":',
    'a comma too many': '{"title":"a","content":"b",}',
    'single quotes': "{'title':'a','content':'b'}",
    'two values': '{"title":"a","content":"b"}{}',
    'blanks alone': ' \n',
    NaN: '{"title":NaN}',
    'a raw line break in a string': '{"title":"a\nb","content":"b"}',
    'a raw NUL': '{"title":"a\0","content":"b"}',
    'a form': 'title=a&content=b',
    'two byte order marks': '\uFEFF\uFEFF{"title":"a","content":"b"}',
    'a byte order mark alone': '\uFEFF',
    'brackets 60,000 deep that never close': '['.repeat(60_000),
  },
  'the body is not UTF-8': {
    'a lone continuation byte': around(0x80),
    'a cut sequence': around(0xc3),
    'an overlong slash': around(0xc0, 0xaf),
    'a surrogate in UTF-8': around(0xed, 0xa0, 0x80),
    'a character beyond Unicode': around(0xf4, 0x90, 0x80, 0x80),
    'UTF-16': around(0xff, 0xfe, 0x7b, 0x00),
  },
  'the body must not contain NUL characters': {
    'a value': '{"title":"a\\u0000","content":"b"}',
    'a key': '{"title":"a","content":"b","\\u0000":1}',
    'a key deep inside what is not looked at': '{"title":"a","content":"b","c":[[{"d":{"\\u0000":1}}]]}',
  },
  'the body must not contain lone surrogates': {
    'a high one in a value': '{"title":"\\ud800","content":"b"}',
    'a low one in a value': '{"title":"a\\udfff","content":"b"}',
    'a pair the wrong way round': '{"title":"\\udc00\\ud800","content":"b"}',
    'a key': '{"title":"a","content":"b","\\uD8FF":1}',
  },
}
for (const [error, bodies] of Object.entries(malformed)) {
  for (const [what, body] of Object.entries(bodies)) {
    test(`POST /api/news says that ${error}: ${what}`, async () => {
      assert.deepEqual(await refused(body), { status: 400, error })
    })
  }
}

test('POST /api/news keeps escaped pairs and escaped backslashes before a u', async () => {
  const { status, body } = await call('POST /api/news', {
    body: '{"title":"\\ud834\\udd1e","content":"\\\\u0000 \\\\ud800"}',
  })
  assert.equal(status, 201)
  assert.equal(body.title, '𝄞')
  assert.equal(body.content, '\\u0000 \\ud800')
})

test('POST /api/news takes the last of two equal keys, as JSON.parse does', async () => {
  const { body } = await call('POST /api/news', { body: '{"title":1,"title":"a","content":"b"}' })
  assert.equal(body.title, 'a')
})

test('POST /api/news walks a body that nests deeper than calls can', async () => {
  const wide = await startApp({ BODY_LIMIT: '1m' })
  const deep = `${'['.repeat(100_000)}"\\u0041"${']'.repeat(100_000)}`
  const { status } = await wide.call('POST /api/news', { body: `{"title":"a","content":"b","deep":${deep}}` })
  assert.equal(status, 201)
  const bad = deep.replace('\\u0041', '\\u0000')
  const { body } = await wide.call('POST /api/news', { body: `{"title":"a","content":"b","deep":${bad}}` })
  assert.deepEqual(body, { error: 'the body must not contain NUL characters' })
})

for (const type of [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset="UTF-8"; x=y',
  ' application/json ;',
]) {
  test(`POST /api/news takes a body of type ${JSON.stringify(type)}`, async () => {
    const { status } = await call('POST /api/news', {
      headers: { 'content-type': type },
      body: { title: 'a', content: 'b' },
    })
    assert.equal(status, 201)
  })
}

for (const type of [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/merge-patch+json',
  'json',
  ';',
]) {
  test(`POST /api/news refuses a body of type ${type}`, async () => {
    assert.deepEqual(await refused('{"title":"a","content":"b"}', { 'content-type': type }), {
      status: 415,
      error: 'the body must be sent as content-type application/json',
    })
  })
}

for (const charset of ['utf-16', '"ISO-8859-1"', 'windows-1252'])
  test(`POST /api/news refuses a body in ${charset}`, async () => {
    const headers = { 'content-type': `application/json; charset=${charset}` }
    assert.deepEqual(await refused('{"title":"a","content":"b"}', headers), {
      status: 415,
      error: `the body must be sent in UTF-8, not in ${charset.replaceAll('"', '')}`,
    })
  })

test('POST /api/news refuses a body without a type', async () => {
  const text = '{"title":"a","content":"b"}'
  const [reply] = await exchange(
    url,
    `POST /api/news HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
  assert.equal(reply?.status, 415)
})

for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x']) {
  test(`POST /api/news refuses a body in content-encoding ${encoding}`, async () => {
    assert.deepEqual(await refused('{"title":"a","content":"b"}', { 'content-encoding': encoding }), {
      status: 415,
      error: `content-encoding ${encoding} is not supported`,
    })
  })
}

test('POST /api/news takes content-encoding identity, which says nothing', async () => {
  const { status } = await call('POST /api/news', {
    headers: { 'content-encoding': 'identity' },
    body: { title: 'a', content: 'b' },
  })
  assert.equal(status, 201)
})

const tooLarge = { error: 'the body is larger than 65536 bytes' }
const head = 'POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

test('POST /api/news takes a body of exactly the limit', async () => {
  const empty = JSON.stringify({ title: 'a', content: '' })
  const { status } = await call('POST /api/news', {
    body: { title: 'a', content: 'x'.repeat(65_536 - empty.length) },
  })
  assert.equal(status, 201)
})

test('POST /api/news refuses one byte more, announced or in chunks', async () => {
  const text = JSON.stringify({ title: 'a', content: 'x'.repeat(65_537 - 26) })
  assert.equal(text.length, 65_537)
  assert.deepEqual(await refused(text), { status: 413, ...tooLarge })
  const chunk = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  const [reply] = await exchange(
    url,
    `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
  )
  assert.equal(reply?.status, 413)
  assert.deepEqual(JSON.parse(reply?.body ?? ''), tooLarge)
})

test('POST /api/news refuses an announced body before its first byte, and closes', async () => {
  for (const length of ['65537', '41943040', '9007199254740993', '18446744073709551615']) {
    const [reply] = await exchange(url, `${head}Content-Length: ${length}\r\n\r\n`)
    assert.equal(reply?.status, 413, length)
    assert.equal(reply?.headers.connection, 'close')
    assert.deepEqual(JSON.parse(reply?.body ?? ''), tooLarge)
  }
})

test('POST /api/news tells a client that sends 40 MB over fetch why it is refused', async () => {
  const body = Buffer.alloc(40 * 1024 * 1024, 'x')
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await refused(body), { status: 413, ...tooLarge })
  }
})

test('POST /api/news tells a client that writes 40 MB and reads afterwards why it is refused', async () => {
  const size = 40 * 1024 * 1024
  const raw = await openRaw(url)
  raw.write(`${head}Content-Length: ${size}\r\n\r\n`)
  const piece = Buffer.alloc(1024 * 1024, 'x')
  for (let sent = 0; sent < size && !raw.socket.destroyed; sent += piece.length) {
    if (!raw.socket.write(piece)) await Promise.race([once(raw.socket, 'drain'), raw.closed])
  }
  const [reply] = parseReplies(await raw.closed)
  assert.equal(reply?.status, 413)
  assert.deepEqual(JSON.parse(reply?.body ?? ''), tooLarge)
})

test('POST /api/news tells a client that sends chunks without end why it is refused', async () => {
  const raw = await openRaw(url)
  raw.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  while (!raw.socket.destroyed && raw.socket.writable) {
    if (!raw.socket.write(chunk)) await Promise.race([once(raw.socket, 'drain'), raw.closed])
    await new Promise((resolve) => setImmediate(resolve))
  }
  const [reply] = parseReplies(await raw.closed)
  assert.equal(reply?.status, 413)
  assert.deepEqual(JSON.parse(reply?.body ?? ''), tooLarge)
})

test('POST /api/news whose sender leaves half-way writes nothing', async () => {
  const before = await countPosts()
  const id = 'left-half-way'
  const raw = await openRaw(url)
  raw.write(`${head}X-Request-Id: ${id}\r\nContent-Length: 100\r\n\r\n{"title":"a",`)
  raw.socket.end()
  assert.match(await raw.closed, /^HTTP\/1\.1 400 |^$/)
  const line = await until('the request is logged', () => log.lines().find((each) => each.id === id))
  assert.ok(line.status === 400 || line.status === 499, String(line.status))
  assert.equal(await countPosts(), before)
})

test('POST /api/news whose client resets the connection during the body writes nothing', async () => {
  const before = await countPosts()
  await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const raw = await openRaw(url)
      raw.write(`${head}X-Request-Id: reset-${at}\r\nContent-Length: 100\r\n\r\n{"title":"a",`)
      await new Promise((resolve) => setImmediate(resolve))
      raw.socket.resetAndDestroy()
      await raw.closed
    }),
  )
  assert.equal((await call('GET /api/health')).status, 200)
  assert.equal(await countPosts(), before)
})

test('POST /api/news sends 100 Continue only for a body that it will read', async () => {
  const text = '{"title":"a","content":"b"}'
  const raw = await openRaw(url)
  raw.write(`${head}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n`)
  await until('the server says continue', () => raw.received().startsWith('HTTP/1.1 100 Continue\r\n\r\n'))
  raw.write(text)
  const [, reply] = parseReplies(await raw.closed)
  assert.equal(reply?.status, 201)

  const [large] = await exchange(url, `${head}Expect: 100-continue\r\nContent-Length: 999999\r\n\r\n`)
  assert.equal(large?.status, 413)
  const [nobody] = await exchange(
    url,
    'POST /api/nothing HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 5\r\n\r\n',
  )
  assert.equal(nobody?.status, 404)
})

test('POST /api/news behind another request sends 100 Continue before its own answer', async () => {
  const text = '{"title":"a","content":"é"}'
  const post = `${head}Expect: 100-continue\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  const replies = await exchange(url, `${post}\r\n${text}${post}Connection: close\r\n\r\n${text}`)
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body && JSON.parse(body).content]),
    [
      [100, ''],
      [201, 'é'],
      [100, ''],
      [201, 'é'],
    ],
  )
})

test('an unknown expectation is ignored', async () => {
  const text = '{"title":"a","content":"b"}'
  const [reply] = await exchange(
    url,
    `${head}Connection: close\r\nExpect: the-unexpected\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
  assert.equal(reply?.status, 201)
})

test('an HTTP/1.0 client never gets 100 Continue', async () => {
  const text = '{"title":"a","content":"b"}'
  const [reply] = await exchange(
    url,
    `${head.replace('HTTP/1.1', 'HTTP/1.0')}Expect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
  assert.equal(reply?.status, 201)
})

test('GET /api/news and DELETE /api/news/{id} look at no body', async () => {
  for (const first of ['GET /api/news?limit=1', 'DELETE /api/news/999999']) {
    const [reply] = await exchange(
      url,
      `${first} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/x\r\nContent-Length: 3\r\n\r\n{"a`,
    )
    assert.equal(reply?.status, first.startsWith('GET') ? 200 : 404)
  }
})

/** A server that does nothing but read bodies, after `admit` of the request. */
async function bodyServer(limits: BodyLimits, admit: (req: IncomingMessage) => unknown = () => {}) {
  const outcome = held<string>()
  const handle: RequestListener = (req, res) => {
    const read = async () => {
      await admit(req)
      return readBody(req, { limits, from: { address: '192.0.2.1' } })
    }
    read().then(
      (bytes) => {
        outcome.resolve(`read ${bytes.length}`)
        res.end()
      },
      (problem) => {
        outcome.resolve(`${problem.status} ${problem.message}`)
        res.writeHead(problem.status, { Connection: 'close' }).end()
      },
    )
  }
  const server = createServer(handle)
  const port = await listen(server, 0, '127.0.0.1')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, outcome: outcome.promise }
}

test('a body that does not arrive in time is a 408', async () => {
  const slow = await bodyServer({ bytes: 1000, milliseconds: 20 })
  const raw = await openRaw(slow.url)
  raw.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
  assert.equal(await slow.outcome, '408 the body did not arrive in time')
  assert.match(await raw.closed, /^HTTP\/1\.1 408 /)
})

test('a body whose sender went away before anybody read it is not waited for', async () => {
  const gone = held<void>()
  const patient = await bodyServer({ bytes: 1000, milliseconds: 60_000 }, (req) => {
    req.once('close', () => gone.resolve())
    return gone.promise
  })
  const raw = await openRaw(patient.url)
  raw.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
  raw.socket.end()
  assert.equal(await patient.outcome, '400 the body ended too early')
  await raw.closed
})

test('a body in many pieces is one body', async () => {
  const patient = await bodyServer({ bytes: 1000, milliseconds: 60_000 })
  const raw = await openRaw(patient.url)
  raw.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (let at = 0; at < 100; at++) {
    raw.write('5\r\nabcde\r\n')
    if (at % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  raw.write('0\r\n\r\n')
  assert.equal(await patient.outcome, 'read 500')
  await raw.closed
})

test('a body that has arrived in pieces before anybody reads it is one body', async () => {
  const arrived = held<void>()
  const patient = await bodyServer({ bytes: 1000, milliseconds: 60_000 }, async (req) => {
    arrived.resolve()
    while (!req.complete) await new Promise((resolve) => setImmediate(resolve))
  })
  const raw = await openRaw(patient.url)
  raw.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 20\r\n\r\nfirst half')
  await arrived.promise
  raw.write('secondhalf')
  assert.equal(await patient.outcome, 'read 20')
  await raw.closed
})

test('POST /api/news ignores a byte order mark before its JSON', async () => {
  const response = await fetch(`${url}/api/news`, {
    method: 'POST',
    body: '\uFEFF{"title":"marked","content":"b"}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(response.status, 201)
  assert.equal(((await response.json()) as { title: string }).title, 'marked')
})
