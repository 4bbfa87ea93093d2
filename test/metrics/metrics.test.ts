import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { after, test } from 'node:test'
import { listen, stop } from '../../src/http/listener/server.ts'
import { Monitoring } from '../../src/metrics/monitoring.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { basic } from '../support/forge/make.ts'
import { exchange } from '../support/raw.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/wait.ts'

const token = 'a-token-for-scrapes'

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

/** The names of all metrics in a text for Prometheus, as queries name them. */
const namesIn = (text: string) => new Set([...text.matchAll(/^([a-z_0-9]+)[{ ]/gm)].map(([, name]) => name))

test('the built file serves /livez, /readyz and /metrics, on a port of its own and behind a token', async () => {
  const home = await openHome()
  const settings = { METRICS_PORT: '0', METRICS_TOKEN: token }
  const server = await serveBinary({ ...home.environment, ...settings })
  for (const path of ['/livez', '/readyz']) {
    const { status, text } = await get(server.url + path)
    assert.deepEqual([status, text], [200, 'ok\n'], path)
  }
  assert.equal((await get(`${server.url}/api/news`)).status, 200)
  assert.equal((await get(`${server.url}/api/media/${'x'.repeat(50)}`)).status, 405)
  await exchange(server.url, 'no HTTP\r\n\r\n')

  const ready = server.lines().find(({ message }) => message === 'ready')
  const own = await get(`http://127.0.0.1:${ready?.metricsPort}/metrics`)
  assert.equal(own.status, 200)
  assert.match(own.type ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(own.text, /^forgehall_requests_total\{route="\/api\/news",method="GET",status="2xx"\} 1$/m)
  assert.match(own.text, /^forgehall_requests_total\{route="unknown",method="GET",status="4xx"\} 1$/m)
  assert.match(own.text, /^forgehall_request_duration_seconds_count\{route="\/api\/news",method="GET"\} 1$/m)
  assert.match(own.text, /^forgehall_malformed_requests_total\{status="400"\} 1$/m)
  assert.match(own.text, /^forgehall_malformed_requests_total\{status="431"\} 0$/m)
  assert.match(own.text, /^forgehall_store_requests_total\{operation="put",outcome="ok"\} 0$/m)
  assert.match(own.text, /^forgehall_store_request_seconds_total\{operation="put"\} 0$/m)
  assert.match(own.text, /^forgehall_database_up 1$/m)
  assert.match(own.text, /^forgehall_runners_online 0$/m)
  assert.equal((await get(`http://127.0.0.1:${ready?.metricsPort}/api/news`)).status, 404)
  assert.equal((await get(`http://127.0.0.1:${ready?.metricsPort}/readyz`)).status, 200)

  const main = await get(`${server.url}/metrics`, { authorization: `Bearer ${token}` })
  assert.equal(main.status, 200)
  for (const authorization of ['', 'Bearer', `Bearer ${token}x`, `Basic ${token}`])
    assert.equal((await get(`${server.url}/metrics`, { authorization })).status, 401, authorization)

  const dashboard = readFileSync('docs/grafana.json', 'utf8')
  const queries = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, query = '']) => query)
  const used = queries.flatMap((query) => query.match(/\b(?:forgehall|process|nodejs)_[a-z0-9_]+/g) ?? [])
  assert.ok(used.length > 15, 'the queries were found')
  const served = namesIn(main.text)
  assert.deepEqual(
    used.filter((name) => !served.has(name)),
    [],
  )
  const { out } = await stopBinary(server)
  assert.doesNotMatch(out, /livez|readyz|metrics"/, 'watching makes no lines')
  assert.ok(!out.includes(token))
})

test('a METRICS_PORT that is taken ends the start with one sentence', async () => {
  const home = await openHome()
  const holder = createServer()
  after(() => stop(holder, 0))
  const METRICS_PORT = String(await listen(holder, 0, '127.0.0.1'))
  const { code, err } = await runBinary([], { ...home.environment, PORT: '0', METRICS_PORT })
  assert.equal(code, 1)
  assert.match(err, /^forgehall: METRICS_PORT \d+ on 127\.0\.0\.1 cannot be used: [^\n]+\n$/)
})

test('what git, threads and webhooks do is counted', async () => {
  const home = await openHome()
  const receiver = await startReceiver()
  const password = 'a-password-for-metrics'
  const settings = {
    METRICS_TOKEN: token,
    WEBHOOK_ALLOWED_HOSTS: 'loopback',
    ADMIN_USERNAME: 'ada',
    ADMIN_PASSWORD: password,
  }
  const server = await serveBinary({ ...home.environment, ...settings })
  const headers = { ...basic('ada', password), 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${server.url}/api/v1${path}`, init)
    assert.ok(response.ok, `${path}: ${response.status}`)
    await response.text()
  }
  await post('/user/repos', { name: 'engine', auto_init: true })
  const config = { url: receiver.url, content_type: 'json' }
  await post('/repos/ada/engine/hooks', { type: 'gitea', active: true, events: ['issues'], config })
  await post('/repos/ada/engine/issues', { title: 'one' })
  await post('/markdown', { Text: '*a*', Mode: 'gfm' })
  const scrape = async () => {
    const { text } = await get(`${server.url}/metrics`, { authorization: `Bearer ${token}` })
    const lines = text.matchAll(/^forgehall_(\S+) (\S+)$/gm)
    return new Map([...lines].map(([, name, value]) => [name, Number(value)]))
  }
  const delivered = 'webhook_attempts_total{state="succeeded"}'
  const values = await until('the delivery is counted', async () => {
    const found = await scrape()
    return found.get(delivered) === 1 && found
  })
  for (const kind of ['git-read', 'render', 'password']) {
    assert.ok((values.get(`work_started_total{kind="${kind}"}`) ?? 0) >= 1, kind)
    assert.equal(values.get(`work_running{kind="${kind}"}`), 0, kind)
    assert.equal(values.get(`work_waiting{kind="${kind}"}`), 0, kind)
    assert.equal(values.get(`work_refused_total{kind="${kind}"}`), 0, kind)
  }
  assert.equal(values.get('webhook_attempts_running'), 0)
  assert.ok((values.get('database_connections_active') ?? 0) >= 1, 'the scrape itself')
  for (const name of ['event_streams', 'ssh_requests', 'ssh_requests_total'])
    assert.equal(values.get(name), 0, name)
  await stopBinary(server)
})

const main = await startApp()
const { app, pool } = main

/** The app behind what `Monitoring` adds to it. */
async function watched(monitoring: Monitoring, shown: TestApp = main) {
  const { limiter, secondsToWait } = shown.app
  const deps = { pool: shown.pool, limiter, clock: shown.clock.now, version: '1', secondsToWait }
  const handle: RequestListener = await monitoring.serve(shown.app.handle, deps)
  const server = createServer(handle)
  after(() => stop(server, 0))
  return `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
}

test('GET /metrics is an unknown path where it is switched off', async () => {
  const url = await watched(new Monitoring({ port: undefined, token: undefined }))
  const { status, text } = await get(`${url}/metrics`)
  const unknown = await get(`${url}/nothing-like-it`)
  assert.equal(status, 404)
  assert.deepEqual([status, text], [unknown.status, unknown.text])
})

test('GET /readyz answers 503 while the database is away and from the start of a stop, GET /livez does not', async () => {
  const monitoring = new Monitoring({ port: undefined, token: undefined })
  const url = await watched(monitoring)
  const answers = async () => [(await get(`${url}/readyz`)).status, (await get(`${url}/livez`)).status]
  assert.deepEqual(await answers(), [200, 200])
  app.limiter.close()
  assert.deepEqual(await answers(), [503, 200])
  app.limiter.open()
  assert.deepEqual(await answers(), [200, 200])
  monitoring.drain()
  assert.deepEqual(await answers(), [503, 200])
})

test('GET /metrics says that the database does not answer, and has the rest', async () => {
  const url = await watched(new Monitoring({ port: undefined, token }))
  const scrape = async () => (await get(`${url}/metrics`, { authorization: `Bearer ${token}` })).text
  assert.match(await scrape(), /^forgehall_database_up 1$/m)
  await pool`alter table forge.action_runner rename to hidden`
  const without = await scrape()
  await pool`alter table forge.hidden rename to action_runner`
  assert.match(without, /^forgehall_database_up 0$/m)
  assert.doesNotMatch(
    without,
    /^forgehall_runners_online /m,
    'figures of before would be taken for those of now',
  )
  assert.match(without, /^forgehall_pool_size \d+$/m)
  assert.match(await scrape(), /^forgehall_database_up 1\n.*^forgehall_runners_online 0$/ms)
})

test('requests are counted by route, method, status and duration', async () => {
  const monitoring = new Monitoring({ port: undefined, token })
  const url = await watched(monitoring)
  for (const [status, ms, method] of [
    [200, 0.5, 'GET'],
    [204, 2, 'GET'],
    [503, 60_000, 'GET'],
    [200, 1, 'BREW'],
  ] as const)
    monitoring.countRequest?.({ route: '/a', status, ms, method })
  const { text } = await get(`${url}/metrics`, { authorization: `Bearer ${token}` })
  for (const expected of [
    'forgehall_requests_total{route="/a",method="GET",status="2xx"} 2',
    'forgehall_requests_total{route="/a",method="GET",status="5xx"} 1',
    'forgehall_requests_total{route="/a",method="other",status="2xx"} 1',
    'forgehall_request_duration_seconds_bucket{route="/a",method="GET",le="0.001"} 1',
    'forgehall_request_duration_seconds_bucket{route="/a",method="GET",le="30"} 2',
    'forgehall_request_duration_seconds_bucket{route="/a",method="GET",le="+Inf"} 3',
    'forgehall_request_duration_seconds_sum{route="/a",method="GET"} 60.0025',
  ])
    assert.ok(text.includes(`${expected}\n`), expected)
})

test('RATE_LIMIT_ADDRESS counts GET /readyz and GET /metrics, and never GET /livez', async () => {
  const token = 'a token that is long enough'
  const limited = await startApp({ RATE_LIMIT_ADDRESS: '2/1m' })
  const url = await watched(new Monitoring({ port: undefined, token }), limited)
  const ask = async (path: string, address = '192.0.2.1') => {
    const response = await fetch(url + path, { headers: { 'x-forwarded-for': address } })
    await response.text()
    return [response.status, response.headers.get('retry-after')]
  }
  assert.deepEqual(await ask('/readyz'), [200, null])
  assert.deepEqual(await ask('/metrics'), [401, null])
  assert.deepEqual(await ask('/readyz'), [429, '30'])
  assert.deepEqual(await ask('/metrics'), [429, '30'])
  assert.deepEqual(await ask('/api/health'), [429, '30'])
  assert.deepEqual(await ask('/readyz', '192.0.2.2'), [200, null])
  for (let count = 0; count < 5; count++) assert.deepEqual(await ask('/livez'), [200, null])
  limited.clock.tick(30_000)
  assert.deepEqual(await ask('/readyz'), [200, null])
})
