import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { binary, openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onlyOnce, onServer } from '../support/database.ts'
import { openRaw, parseReplies } from '../support/raw.ts'
import { until } from '../support/wait.ts'

/** One call of an operation; the body of the reply, if it has one. */
async function call(url: string, literal: string, body?: unknown) {
  const [method, path] = literal.split(' ')
  const response = await fetch(url + path, {
    method: method ?? '',
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
}

/** Takes a port, and gives it with the server that holds it. */
async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

async function freePort() {
  const { server, port } = await takenPort()
  server.close()
  await once(server, 'close')
  return port
}

test('the built file alone in an empty folder serves all eleven operations', async () => {
  const { environment } = await openHome()
  const folder = await mkdtemp(join(tmpdir(), 'forgehall-alone-'))
  const file = join(folder, 'forgehall.cjs')
  await copyFile(binary, file)
  const { DATA_DIR: _, ...rest } = environment
  const server = await serveBinary(onServer ? rest : {}, { file, cwd: folder })
  const { url } = server

  assert.deepEqual((await call(url, 'GET /api/health')).body, { ok: true })
  const { body: post } = await call(url, 'POST /api/news', { title: 'a', content: 'b' })
  assert.deepEqual((await call(url, 'GET /api/news')).body, [post])
  assert.match(post.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal((await call(url, `DELETE /api/news/${post.id}`)).status, 204)
  const { body: item } = await call(url, 'POST /api/media', { title: 'a', media_type: 'video', url: 'b' })
  assert.deepEqual((await call(url, 'GET /api/media')).body, [item])
  assert.equal((await call(url, `DELETE /api/media/${item.id}`)).status, 204)
  const { body: session } = await call(url, 'POST /api/stats/session/start', { username: 'ada' })
  assert.equal((await call(url, 'GET /api/stats/users')).body[0].id, session.userId)
  assert.equal((await call(url, 'GET /api/stats/overview')).body.general.users.total, 1)
  assert.equal((await call(url, 'POST /api/stats/session/end', { sessionId: session.sessionId })).status, 204)

  assert.equal((await stopBinary(server)).code, 0)
  assert.deepEqual((await readdir(folder)).toSorted(), ['data', 'forgehall.cjs'])
  assert.ok((await readdir(join(folder, 'data'))).includes('secret.key'))
  await rm(folder, { recursive: true })
})

const isRefused = (url: string) =>
  openRaw(url).then(
    ({ socket }) => {
      socket.destroy()
      return false
    },
    () => true,
  )

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} finishes what has begun, takes nothing new, and ends with exit code 0`, async () => {
    const { environment } = await openHome()
    const server = await serveBinary(environment)
    const text = '{"title":"begun","content":"before the signal"}'
    const begun = await openRaw(server.url)
    begun.write(
      `POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n`,
    )
    await until('the request has begun', () => begun.received().includes('100 Continue'))
    const silent = await openRaw(server.url)
    server.signal(signal)
    await silent.closed
    await until('connections are refused', () => isRefused(server.url))
    begun.write(text)
    const [, reply] = parseReplies(await begun.closed)
    assert.equal(reply?.status, 201)
    assert.equal(reply?.headers.connection, 'close')
    const { code, err } = await server.ended
    assert.equal(code, 0)
    assert.equal(err, '')
    // Which git there is comes when git has said so.
    const messages = server
      .lines()
      .map(({ message }) => String(message))
      .filter((message) => !message.startsWith('git '))
    assert.deepEqual(messages.slice(-3), ['stopping', 'request', 'stopped'])
  })
}

test('what was written before a stop is there after the next start', async () => {
  const { environment } = await openHome()
  const first = await serveBinary(environment)
  const { body: post } = await call(first.url, 'POST /api/news', { title: 'kept', content: 'b' })
  await stopBinary(first)
  const second = await serveBinary(environment)
  assert.deepEqual((await call(second.url, 'GET /api/news')).body, [post])
  await stopBinary(second)
})

test('a log whose reader has gone costs its lines and nothing else', onlyOnce, async () => {
  const { environment } = await openHome()
  const server = await serveBinary(environment)
  server.deafen()
  for (const title of ['a', 'b', 'c']) {
    assert.equal((await call(server.url, 'POST /api/news', { title, content: 'b' })).status, 201)
    // Lines of requests gather for ten milliseconds.
    await pause(30)
  }
  assert.equal((await call(server.url, 'GET /api/news')).body.length, 3)
  const { code, err } = await stopBinary(server)
  assert.deepEqual({ code, err }, { code: 0, err: '' })
})

test('a second signal ends at once', onlyOnce, async () => {
  const { environment } = await openHome()
  const server = await serveBinary(environment)
  const begun = await openRaw(server.url)
  begun.write(
    'POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
  )
  await until('the request has begun', () => begun.received().includes('100 Continue'))
  server.signal('SIGTERM')
  await until('the server is stopping', () => server.lines().some(({ message }) => message === 'stopping'))
  server.signal('SIGTERM')
  assert.equal((await server.ended).code, 130)
  await begun.closed
})

test('a port that is taken is said in one sentence that names it, with exit code 1', onlyOnce, async () => {
  const { environment } = await openHome()
  const { server, port } = await takenPort()
  const { code, out, err } = await runBinary([], { ...environment, HOST: '127.0.0.1', PORT: String(port) })
  assert.equal(code, 1)
  assert.doesNotMatch(out, /"level":"(warn|error)"/, 'nothing else is complained of')
  assert.equal(err, `forgehall: another process uses port ${port}; set PORT to a free one\n`)
  server.close()
})

test('a first start that finds its port taken tells no password, and makes no administrator before one that has it', async () => {
  const { environment } = await openHome()
  const first = { ...environment, ADMIN_PASSWORD: '', HOST: '127.0.0.1' }
  const { server, port } = await takenPort()
  const { code, err } = await runBinary([], { ...first, PORT: String(port) })
  assert.equal(code, 1)
  assert.equal(err, `forgehall: another process uses port ${port}; set PORT to a free one\n`)
  server.close()
  const started = await serveBinary(first)
  const told = (await stopBinary(started)).err
  assert.match(told, /^forgehall: the first administrator is "administrator" with the password [\w-]{20}\n/)
})

test('an ADMIN_PASSWORD that breaks the rules is refused, with exit code 2', async () => {
  const { environment } = await openHome()
  const { code, err } = await runBinary([], { ...environment, PORT: '0', ADMIN_PASSWORD: 'short' })
  assert.deepEqual(
    [code, err],
    [2, 'forgehall: ADMIN_PASSWORD must have at least 8 bytes (PASSWORD_MIN_LENGTH)\n'],
  )
})

test(
  'an address that is not of this machine is said in one sentence, with exit code 1',
  onlyOnce,
  async () => {
    const { environment } = await openHome()
    const { code, err } = await runBinary([], { ...environment, HOST: '192.0.2.1', PORT: '0' })
    assert.equal(code, 1)
    assert.equal(
      err,
      'forgehall: cannot listen on 192.0.2.1: EADDRNOTAVAIL; set HOST to an address of this machine\n',
    )
  },
)

test('a second process on the same folder is refused in one sentence', {
  skip: onServer && 'embedded only',
}, async () => {
  const { environment } = await openHome()
  const server = await serveBinary(environment)
  const { code, err } = await runBinary(['serve'], { ...environment, PORT: '0' })
  assert.equal(code, 1)
  assert.equal(err.split('\n').length, 2, err)
  assert.match(err, /another process|in use|locked/i)
  assert.equal((await call(server.url, 'GET /api/health')).status, 200)
  assert.equal((await stopBinary(server)).code, 0)
})

test('SESSION_MAX_AGE ends sessions that nobody ended', async () => {
  const { environment } = await openHome()
  const server = await serveBinary({ ...environment, SESSION_MAX_AGE: '100ms' })
  const { body } = await call(server.url, 'POST /api/stats/session/start', { username: 'forgetful' })
  await until(
    'the session is ended',
    async () => (await call(server.url, 'GET /api/stats/users')).body.length === 0,
  )
  const again = await call(server.url, 'POST /api/stats/session/end', { sessionId: body.sessionId })
  assert.equal(again.status, 404)
  assert.equal((await call(server.url, 'GET /api/stats/overview')).body.general.users.total, 1)
  await stopBinary(server)
})

test('settings that name nothing of the server are refused, with exit code 2', onlyOnce, async () => {
  const { environment } = await openHome()
  const refused = {
    CRON: ['git_gc_repo=@weekly', /^forgehall: CRON has a schedule for unknown tasks: git_gc_repo\n$/],
    TEMPLATES_DIR: [
      binary,
      /^forgehall: TEMPLATES_DIR cannot be read\nforgehall: \S*forgehall\.cjs: is not a folder\n$/,
    ],
  } as const
  for (const [name, [value, expected]] of Object.entries(refused)) {
    const { code, err } = await runBinary(['serve'], { ...environment, PORT: '0', [name]: value })
    assert.equal(code, 2)
    assert.match(err, expected)
  }
})

test(
  'DATA_DIR that is no folder is named with what the system says of it, with exit code 2',
  onlyOnce,
  async () => {
    const { environment } = await openHome()
    const { code, err } = await runBinary([], { ...environment, PORT: '0', DATA_DIR: join(binary, 'below') })
    assert.equal(code, 2)
    assert.match(err, /^forgehall: .*DATA_DIR.*: ENOTDIR: .*\n$/)
  },
)

test('PORT and BODY_LIMIT are heard', onlyOnce, async () => {
  const { environment } = await openHome()
  const port = await freePort()
  const server = await serveBinary({ ...environment, PORT: String(port), BODY_LIMIT: '100' })
  assert.equal(server.url, `http://127.0.0.1:${port}`)
  const { status } = await call(server.url, 'POST /api/news', { title: 'a', content: 'x'.repeat(100) })
  assert.equal(status, 413)
  await stopBinary(server)
})
