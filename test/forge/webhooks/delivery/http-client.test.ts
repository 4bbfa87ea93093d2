import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { parseAllowedHosts } from '../../../../src/forge/webhooks/delivery/allowed-hosts.ts'
import { guardedAgents, type Resolve } from '../../../../src/forge/webhooks/delivery/guarded-agent.ts'
import { callHttp, type HttpRequest } from '../../../../src/forge/webhooks/delivery/http-client.ts'
import { startReceiver } from '../../../support/receiver.ts'
import { until } from '../../../support/wait.ts'

function agentsFor(list: string, resolve?: Resolve) {
  const parsed = parseAllowedHosts(list)
  if (!parsed.ok) throw new Error(parsed.fault)
  const agents = guardedAgents(parsed.value, resolve)
  after(() => {
    for (const agent of Object.values(agents)) agent.destroy()
  })
  return agents
}

const forever = new AbortController().signal
const loopback = agentsFor('loopback')

const post = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  url: new URL(url),
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sesame', 'X-Gitea-Event': 'push' },
  body: '{"a":1}',
  ...more,
})

/** Answers names from a table; each question takes the next answer. */
const resolving =
  (table: Record<string, string[][]>): Resolve =>
  (host, _, done) => {
    const addresses = table[host]?.shift() ?? []
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }

test('sends the request and returns head and body of the response', async () => {
  const { url, received } = await startReceiver((response) => {
    response.writeHead(202, { 'X-Receiver': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('wél\0l')
  })
  const answer = await callHttp(post(`${url}/hook?x=1`), loopback, forever)
  assert.equal(answer.status, 202)
  assert.equal(answer.headers['x-receiver'], 'yes')
  assert.equal(answer.body, 'wél\ufffdl')
  const [request] = received
  assert.equal(request?.method, 'POST')
  assert.equal(request?.target, '/hook?x=1')
  assert.equal(request?.body, '{"a":1}')
  assert.equal(request?.headers['content-length'], '7')
  assert.ok(request?.names.includes('X-Gitea-Event'), 'names keep their letters')
})

test('a user and password in the address are basic credentials', async () => {
  const { port, received } = await startReceiver()
  const { Authorization: _, ...headers } = post('http://x').headers
  await callHttp(post(`http://ada:p%40ss@127.0.0.1:${port}/`, { headers }), loopback, forever)
  assert.equal(received[0]?.headers.authorization, `Basic ${Buffer.from('ada:p@ss').toString('base64')}`)
})

for (const [status, method, body] of [
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', '{"a":1}'],
  [308, 'POST', '{"a":1}'],
] as const) {
  test(`a redirect with ${status} is followed with ${method}`, async () => {
    const { url, received } = await startReceiver((response, { target }) => {
      if (target === '/old') response.writeHead(status, { Location: 'new' }).end()
      else response.end('arrived')
    })
    assert.equal((await callHttp(post(`${url}/old`), loopback, forever)).body, 'arrived')
    const second = received[1]
    assert.deepEqual([second?.method, second?.target, second?.body], [method, '/new', body])
    assert.equal(second?.headers['content-type'], body ? 'application/json' : undefined)
    assert.equal(second?.headers.authorization, 'Bearer sesame')
    assert.equal(second?.headers['x-gitea-event'], 'push')
  })
}

test('credentials do not follow a redirect to another host', async () => {
  const { url, port, received } = await startReceiver((response, { target }) => {
    if (target === '/') response.writeHead(307, { Location: `http://127.0.0.2:${port}/other` }).end()
    else response.end()
  })
  await callHttp(post(`${url}/`), loopback, forever)
  assert.equal(received[1]?.target, '/other')
  assert.equal(received[1]?.headers.authorization, undefined)
})

test('credentials do not follow a redirect to another port of the host, nor come back', async () => {
  const other = await startReceiver((response) => response.writeHead(307, { Location: `${url}/back` }).end())
  const { url, received } = await startReceiver((response, { target }) => {
    if (target === '/') response.writeHead(307, { Location: `${other.url}/other` }).end()
    else response.end()
  })
  await callHttp(post(`${url}/`), loopback, forever)
  assert.deepEqual(
    [...received, ...other.received].map(({ target, headers }) => [target, headers.authorization]),
    [
      ['/', 'Bearer sesame'],
      ['/back', undefined],
      ['/other', undefined],
    ],
  )
})

test('redirects end after ten, and at a location that is not a web address', async () => {
  const { url, received } = await startReceiver((response, { target }) => {
    const places: Record<string, string> = {
      '/loop': '/loop',
      '/file': 'file:///etc/passwd',
      '/junk': 'http://[',
    }
    response.writeHead(302, { Location: places[target] }).end()
  })
  await assert.rejects(callHttp(post(`${url}/loop`), loopback, forever), /stopped after 10 redirects/)
  assert.equal(received.length, 11)
  await assert.rejects(callHttp(post(`${url}/file`), loopback, forever), /another protocol/)
  await assert.rejects(callHttp(post(`${url}/junk`), loopback, forever), /not an address/)
})

for (const place of ['/loop', 'file:///etc/passwd', 'http://[']) {
  test(`a redirect to ${place} that is not followed leaves no connection behind`, async () => {
    let open = 0
    const { url } = await startReceiver((response) => {
      open++
      response.on('close', () => open--)
      response.writeHead(302, { Location: place }).write('and there is no end to it')
    })
    await assert.rejects(callHttp(post(`${url}/loop`), loopback, forever))
    await until('the connection is closed', () => open === 0)
  })
}

test('a redirect without a location is the response', async () => {
  const { url } = await startReceiver((response) => response.writeHead(302).end('nowhere'))
  const { status, body } = await callHttp(post(url), loopback, forever)
  assert.deepEqual([status, body], [302, 'nowhere'])
})

test('no connection is opened to an address that is not allowed, in any spelling', async () => {
  const { port, received } = await startReceiver()
  const external = agentsFor('external')
  const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', '0']
  for (const host of [...hosts, 'example.org@127.0.0.1']) {
    await assert.rejects(
      callHttp(post(`http://${host}:${port}/`), external, forever),
      /not among the allowed hosts/,
    )
    await assert.rejects(
      callHttp(post(`https://${host}:${port}/`), external, forever),
      /not among the allowed hosts/,
    )
  }
  assert.equal(received.length, 0)
})

test('a redirect to an address that is not allowed is not followed', async () => {
  const { url, port, received } = await startReceiver((response) => {
    response.writeHead(307, { Location: `http://127.0.0.2:${port}/inner` }).end()
  })
  const one = agentsFor('127.0.0.1')
  await assert.rejects(
    callHttp(post(`${url}/`), one, forever),
    /"127\.0\.0\.2" is not among the allowed hosts/,
  )
  assert.equal(received.length, 1)
})

test('a name is checked by the addresses to which it resolves; only the allowed ones are tried', async () => {
  const { port, received } = await startReceiver()
  const table = {
    'inner.example': [['10.0.0.1', '169.254.169.254']],
    'mixed.example': [['127.0.0.2', '127.0.0.1']],
    'gone.example': [[]],
    'localhost.': [['127.0.0.2', '::1']],
  }
  const agents = agentsFor('127.0.0.1', resolving(table))
  await assert.rejects(
    callHttp(post('http://inner.example/'), agents, forever),
    /"inner\.example" is not among/,
  )
  await callHttp(post(`http://mixed.example:${port}/`), agents, forever)
  assert.equal(received.length, 1)
  for (const name of ['gone.example', 'localhost.']) {
    await assert.rejects(callHttp(post(`http://${name}:${port}/`), agents, forever), /not among/)
  }
  assert.equal(received.length, 1)
})

test('a name that resolves to another address the next time gains nothing', async () => {
  const { port, received } = await startReceiver((response) =>
    response.setHeader('Connection', 'close').end(),
  )
  // Whoever asks twice, once to check and once to connect, would connect to 127.0.0.2.
  const agents = agentsFor('127.0.0.1', resolving({ 'rebind.example': [['127.0.0.1'], ['127.0.0.2']] }))
  await callHttp(post(`http://rebind.example:${port}/`), agents, forever)
  await assert.rejects(callHttp(post(`http://rebind.example:${port}/`), agents, forever), /not among/)
  assert.equal(received.length, 1)
})

test('gigabytes are cut off after 64 KiB', async () => {
  let written = 0
  let stopped = () => {}
  const cutOff = new Promise<void>((resolve) => {
    stopped = resolve
  })
  const chunk = Buffer.alloc(65_536, 'x')
  const { url } = await startReceiver((response) => {
    response.on('close', () => stopped())
    const pour = () => {
      while (!response.destroyed && written < 5e9) {
        written += chunk.length
        if (!response.write(chunk)) return
      }
    }
    response.on('drain', pour)
    pour()
  })
  const { status, body } = await callHttp(post(url), loopback, forever)
  assert.equal(status, 200)
  assert.equal(body.length, 65_536)
  await cutOff
  assert.ok(written < 50e6, `the receiver got rid of ${written} bytes`)
})

test('a response that is interrupted or never ends is what was received', async () => {
  const { url } = await startReceiver((response, { target }) => {
    response.writeHead(200, { 'Content-Length': '100' })
    response.write('half', () => {
      if (target === '/break') response.destroy()
    })
  })
  assert.equal((await callHttp(post(`${url}/break`), loopback, forever)).body, 'half')
  const hanging = await callHttp(post(`${url}/hang`), loopback, AbortSignal.timeout(300))
  assert.deepEqual([hanging.status, hanging.body], [200, 'half'])
})

test('an upgrade to another protocol counts as no response', async () => {
  const { url } = await startReceiver((response) =>
    response.writeHead(101, { Upgrade: 'x', Connection: 'Upgrade' }).end(),
  )
  await assert.rejects(callHttp(post(url), loopback, forever), /ended without a response/)
})

test('a receiver that does not answer times out', async () => {
  const { url } = await startReceiver(() => {})
  await assert.rejects(callHttp(post(url), loopback, AbortSignal.timeout(100)), { name: 'AbortError' })
})

test('a connection is kept, and one that the receiver had closed meanwhile is replaced', async () => {
  const sockets: Socket[] = []
  let requests = 0
  // Answers each first request of a connection, and resets it at the second, as a server does whose patience ended.
  const server = createTcpServer((socket) => {
    let seen = 0
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      requests++
      if (++seen === 2) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const agents = agentsFor('loopback')
  assert.equal((await callHttp(post(`http://127.0.0.1:${port}/`), agents, forever)).body, 'ok')
  assert.equal((await callHttp(post(`http://127.0.0.1:${port}/`), agents, forever)).body, 'ok')
  assert.equal(sockets.length, 2)
  assert.equal(requests, 3)
})

test('TLS is verified', async () => {
  const { port, received } = await startReceiver()
  await assert.rejects(
    callHttp(post(`https://127.0.0.1:${port}/`), loopback, forever),
    /SSL|EPROTO|wrong version/i,
  )
  assert.equal(received.length, 0)
})
