import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/log.ts'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw } from '../../support/raw.ts'
import { keepLines } from '../../support/sink.ts'
import { turns, until } from '../../support/wait.ts'

const { url, pool, log } = await startApp()

let asked = 0
/** Sends a request under an id of its own and gives the lines that it left in the log. */
async function linesOf(path: string, init: RequestInit = {}) {
  const id = `log-${++asked}`
  const response = await fetch(url + path, { ...init, headers: { ...init.headers, 'x-request-id': id } })
  await response.arrayBuffer()
  const own = () => log.lines().filter((line) => line.id === id)
  await until('the request is logged', () => own().some((line) => line.message === 'request'))
  return own()
}

const json = { 'content-type': 'application/json' }

test('a request leaves one line, with these fields', async () => {
  const [line, ...more] = await linesOf('/api/health')
  assert.deepEqual(more, [])
  assert.ok(line)
  const { time, ms, ...rest } = line
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(typeof ms === 'number' && ms >= 0)
  assert.deepEqual(rest, {
    level: 'info',
    message: 'request',
    id: `log-${asked}`,
    method: 'GET',
    route: '/api/health',
    status: 200,
    bytes: 11,
    address: '127.0.0.1',
  })
})

test('behind a trusted proxy the line has the address of the client', async () => {
  for (const [forwarded, expected] of [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.8, ::ffff:192.0.2.9', '192.0.2.9'],
    ['"}, no address', '127.0.0.1'],
  ] as const) {
    const [line] = await linesOf('/api/health', { headers: { 'x-forwarded-for': forwarded } })
    assert.equal(line?.address, expected)
  }
})

test('the line names the route, never the path, the query, headers or the body', async () => {
  const secret = 's3cr3t-value'
  const all = [
    ...(await linesOf(`/api/news?limit=${secret}`, { headers: { authorization: `Bearer ${secret}` } })),
    ...(await linesOf(`/api/news/${secret}?token=${secret}`, { method: 'DELETE' })),
    ...(await linesOf(`/${secret}?token=${secret}`, { headers: { cookie: secret } })),
    ...(await linesOf(`/${secret}/a/b/c/d?token=${secret}`)),
    ...(await linesOf('/api/news', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ title: secret }),
    })),
    ...(await linesOf('/api/stats/session/start', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ username: secret.repeat(50) }),
    })),
  ]
  assert.deepEqual(
    all.map(({ route, status }) => [route, status]),
    [
      ['/api/news', 200],
      ['/api/news/{id}', 404],
      ['/{username}', 404],
      [null, 404],
      ['/api/news', 400],
      ['/api/stats/session/start', 400],
    ],
  )
  assert.equal(JSON.stringify(all).includes(secret), false)
})

test('a request of another method on a known path names no route', async () => {
  const [line] = await linesOf('/api/news', { method: 'PUT' })
  assert.deepEqual([line?.route, line?.status, line?.method], [null, 405, 'PUT'])
})

test('a reply without a body counts no bytes', async () => {
  const [line] = await linesOf('/api/health', { method: 'HEAD' })
  assert.deepEqual([line?.status, line?.bytes], [200, 0])
})

test('a failure of ours is a 500 that tells the caller nothing and the log what happened', async () => {
  await pool`alter table site.activity_entry rename to hidden`
  const id = `log-${asked + 1}`
  const lines = await linesOf('/api/stats/overview')
  await pool`alter table site.hidden rename to activity_entry`
  const failure = lines.find(({ level }) => level === 'error')
  assert.equal(failure?.message, 'internal error')
  assert.deepEqual([failure?.method, failure?.route], ['GET', '/api/stats/overview'])
  assert.equal(failure?.id, id)
  assert.match(String(failure?.error), /site\.activity_entry/)
  assert.equal(lines.find(({ message }) => message === 'request')?.status, 500)
})

test('the caller of a 500 reads no more than that', async () => {
  await pool`alter table site.statistic rename to hidden`
  const response = await fetch(`${url}/api/stats/overview`)
  await pool`alter table site.hidden rename to statistic`
  assert.equal(response.status, 500)
  assert.deepEqual(await response.json(), { error: 'internal error' })
  assert.equal((await fetch(`${url}/api/stats/overview`)).status, 200)
})

const aboutFirst = { address: '127.0.0.1', status: 400, code: 'HPE_INVALID_METHOD', unlogged: 0 }

test('malformed requests cannot write a line that looks like another one', async () => {
  // Lines come in their order, so with that of a request all before it are there.
  await linesOf('/api/health')
  const before = log.lines().length
  await exchange(url, '{"level":"error","message":"request"}\r\n\r\n')
  await linesOf('/api/health')
  const [{ time: _, ...line } = {}, ...others] = log.lines().slice(before)
  assert.deepEqual(line, { level: 'info', message: 'malformed request', ...aboutFirst })
  assert.equal(others.length, 1)
})

test('lines below the level are not written, and `enabled` tells the level', async () => {
  const sink = keepLines()
  const quiet = createLog('warn', sink)
  quiet.debug('a')
  quiet.info('b')
  quiet.warn('c', { n: 1, gone: undefined })
  quiet.error('d')
  await turns()
  assert.deepEqual(
    sink.lines().map(({ level, message }) => [level, message]),
    [
      ['warn', 'c'],
      ['error', 'd'],
    ],
  )
  assert.deepEqual(
    [quiet.enabled('info'), quiet.enabled('warn'), quiet.enabled('error')],
    [false, true, true],
  )
  const silent = createLog('silent', sink)
  silent.error('e')
  await turns()
  assert.equal(sink.lines().length, 2)
})

test('for a slow reader, lines are dropped and their bytes counted instead of filling the memory', async () => {
  const sink = { ...keepLines(), writableLength: 0 }
  const log = createLog('info', sink)
  const say = async (message: string, unread: number) => {
    sink.writableLength = unread
    log.info(message)
    await turns()
  }
  await say('read', 1024 ** 2)
  await say('lost', 17 * 1024 ** 2)
  await say('lost', 17 * 1024 ** 2)
  await say('read again', 0)
  const [first, gap, last, ...more] = sink.lines()
  assert.deepEqual([first?.message, last?.message, more], ['read', 'read again', []])
  assert.deepEqual([gap?.level, gap?.message], ['warn', 'lines were dropped here: their reader was too slow'])
  assert.ok(Number(gap?.bytes) > 2 * '"lost"'.length)
})

test('a message cannot begin an entry of its own or steer a terminal', async () => {
  const texts: string[] = []
  const json = createLog('info', { write: (text) => texts.push(text) })
  const terminal = createLog('info', { write: (text) => texts.push(text), isTTY: true })
  for (const log of [json, terminal]) log.info('one\ntwo', { field: 'three\r\nfour\u001b[31m\u009b' })
  await turns()
  const [line = '', lines = ''] = texts
  assert.equal(line.split('\n').length, 2)
  assert.equal(JSON.parse(line).message, 'one\ntwo')
  assert.match(lines, /^[\d:.]{12} info {2}one\n {4}two field=three\\x0d\n {4}four\\x1b\[31m\\x9b\n$/)
})

const malformedLines = () => log.lines().filter(({ message }) => message === 'malformed request')

test('of malformed requests one a second makes a line, which counts the others and says nothing that was sent', async () => {
  let sent = 0
  /** Sends malformed requests until one of them makes a line. */
  const untilLogged = async () => {
    const before = malformedLines().length
    await until('a malformed request is logged', async () => {
      await exchange(url, 'GET /?s3cr3t-value HTTP/9.9\r\n\r\n')
      sent++
      await turns()
      return malformedLines().length > before
    })
  }
  await untilLogged()
  const before = malformedLines().length
  sent = 0
  for (; sent < 5; sent++) await exchange(url, `GET / HTTP/1.1\r\na: ${'s3cr3t-value'.repeat(9000)}\r\n\r\n`)
  await untilLogged()
  const made = malformedLines().slice(before)
  assert.ok(made.length < sent, `${made.length} lines of ${sent} requests`)
  assert.equal(
    made.reduce((sum, { unlogged }) => sum + 1 + Number(unlogged), 0),
    sent,
  )
  assert.equal(made.at(-1)?.code, 'HPE_INVALID_VERSION')
  assert.ok(!JSON.stringify(log.lines()).includes('s3cr3t-value'))
})

test('a connection that ends before a request or within its body makes no line of a malformed request', async () => {
  const before = malformedLines().length
  for (const beginning of ['', 'POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{']) {
    const raw = await openRaw(url)
    raw.write(beginning)
    raw.socket.end()
    await raw.closed
  }
  await turns()
  assert.equal(malformedLines().length, before)
})
