import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { openPool } from '../../src/db/open.ts'
import { openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { until } from '../support/wait.ts'

const needsServer = { skip: !onServer && 'the embedded database serves one process' }
const token = 'a-token-for-scrapes'

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { connection: 'close', ...headers } })
  return { status: response.status, text: await response.text() }
}

/** The values of metrics by name and labels. */
const valuesIn = (text: string) =>
  new Map(
    [...text.matchAll(/^([a-z_0-9]+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  )

test('the primary process gathers the metrics of all workers', needsServer, async () => {
  const home = await openHome()
  const pool = openPool({ url: home.environment.DATABASE_URL ?? '', poolSize: 1 })
  // An event that is never due.
  await pool`
    insert into forge.event (kind, payload, created_at, due_at)
    values ('held', '{}', now() - interval '1 hour', 'infinity')`
  await pool.end()
  const server = await serveBinary({
    ...home.environment,
    WORKERS: '2',
    METRICS_PORT: '0',
    METRICS_TOKEN: token,
  })
  const pidsOf = (message: string) =>
    server
      .lines()
      .filter((line) => line.message === message)
      .map(({ pid }) => Number(pid))
  await until('both workers are ready', () => pidsOf('ready').length === 2)
  const own = server.lines().find(({ message }) => message === 'serving metrics')
  const root = `http://127.0.0.1:${own?.metricsPort}`
  const scrape = async () => {
    const { status, text } = await get(`${root}/metrics`)
    assert.equal(status, 200)
    return valuesIn(text)
  }

  for (const path of ['/livez', '/readyz'])
    assert.deepEqual(await get(root + path), { status: 200, text: 'ok\n' }, path)
  assert.equal((await get(`${root}/api/news`)).status, 404)
  const requests = 12
  for (let count = 0; count < requests; count++)
    assert.equal((await get(`${server.url}/api/news`)).status, 200)

  const counted = 'forgehall_requests_total{route="/api/news",method="GET",status="2xx"}'
  const timed = 'forgehall_request_duration_seconds_count{route="/api/news",method="GET"}'
  const expected = {
    [counted]: requests,
    [timed]: requests,
    'forgehall_request_duration_seconds_bucket{route="/api/news",method="GET",le="+Inf"}': requests,
    forgehall_processes: 2,
    forgehall_database_up: 1,
    forgehall_database_request_limit: 2000,
    forgehall_outbox_events: 1,
  }
  const values = await scrape()
  for (const [name, value] of Object.entries(expected)) assert.equal(values.get(name), value, name)
  const age = values.get('forgehall_outbox_age_seconds') ?? 0
  assert.ok(age >= 3600 && age < 7200, `${age} is the age of one event`)

  const main = await get(`${server.url}/metrics`, { authorization: `Bearer ${token}` })
  assert.equal(valuesIn(main.text).get(counted), requests, 'whichever worker is asked')
  assert.equal((await get(`${server.url}/metrics`)).status, 401)

  process.kill(pidsOf('ready')[0] ?? 0, 'SIGKILL')
  await until('another worker is ready', () => pidsOf('ready').length === 3)
  const later = await scrape()
  assert.equal(later.get(counted), requests, 'what a worker has counted outlives it')
  assert.equal(later.get(timed), requests)
  assert.equal(later.get('forgehall_processes'), 2)
  assert.equal((await stopBinary(server)).code, 0)
})

test('a METRICS_PORT that is taken ends the start with one sentence', needsServer, async () => {
  const home = await openHome()
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  after(() => holder.close())
  const address = holder.address()
  const METRICS_PORT = String(typeof address === 'object' ? address?.port : '')
  const { code, err } = await runBinary([], { ...home.environment, WORKERS: '2', METRICS_PORT })
  assert.equal(code, 1)
  assert.match(err, /^forgehall: METRICS_PORT \d+ on 127\.0\.0\.1 cannot be used: [^\n]+\n$/)
})
