import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Serving, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer, openTestDatabase } from '../support/database.ts'
import { openProxy } from '../support/proxy.ts'
import { until } from '../support/wait.ts'

const skip = !onServer && 'the embedded database has no line that could be cut'

/** A server of ours behind a line to its database. */
async function behindProxy() {
  const database = await openTestDatabase(2)
  const proxy = await openProxy(database.url ?? '')
  after(async () => {
    await proxy.close()
    await database.close()
  })
  return { database, proxy, environment: { DATABASE_URL: proxy.url } }
}

interface Answer {
  status: number
  retryAfter: string | null
  body: { error?: string; id?: number }
}

async function ask(url: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url + path, {
    ...(body !== undefined && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as Answer['body'],
  }
}

const healthy = (server: Serving) => async () => (await ask(server.url, '/api/health')).status === 200

/** Several clients that read and write without a pause; every answer is kept. */
function load(server: Serving) {
  let going = true
  const answers: Answer[] = []
  const acknowledged: number[] = []
  const clients = Array.from({ length: 16 }, async (_, client) => {
    for (let turn = 0; going; turn++) {
      const answer =
        (client + turn) % 2
          ? await ask(
              server.url,
              ['/api/news', '/api/stats/overview', '/api/stats/users', '/api/health'][turn % 4] ?? '',
            )
          : await ask(server.url, '/api/news', { title: `${client}`, content: `${turn}` })
      answers.push(answer)
      if (answer.status === 201 && answer.body.id !== undefined) acknowledged.push(answer.body.id)
    }
  })
  const end = async () => {
    going = false
    await Promise.allSettled(clients)
  }
  after(end)
  return { answers, acknowledged, end }
}

function onlyServedOrTold(answers: readonly Answer[]) {
  for (const { status, retryAfter, body } of answers) {
    if (status === 200 || status === 201) continue
    assert.equal(status, 503, JSON.stringify(body))
    assert.ok(Number(retryAfter) >= 1)
    assert.ok(body.error)
  }
}

test('a server that starts without its database answers 503 with Retry-After, and serves when it appears', {
  skip,
}, async () => {
  const { proxy, environment } = await behindProxy()
  await proxy.cut()
  const server = await serveBinary(environment)
  for (const path of ['/api/health', '/api/news', '/api/stats/users']) {
    const answer = await ask(server.url, path)
    assert.equal(answer.status, 503)
    assert.ok(Number(answer.retryAfter) >= 1)
    assert.equal(answer.body.error, 'the database is away')
  }
  assert.equal((await ask(server.url, '/api/news', {})).status, 400, 'what can be refused without it is')
  await pause(2_500)
  await proxy.mend()
  await until('the server has found its database', healthy(server))
  assert.equal((await ask(server.url, '/api/news', { title: 'a', content: 'b' })).status, 201)
  const stages = [
    'the database is unavailable; waiting for it',
    'listening',
    'background task failed',
    'ready',
  ]
  assert.deepEqual(
    server
      .lines()
      .map(({ message }) => String(message))
      .filter((message) => stages.includes(message)),
    ['the database is unavailable; waiting for it', 'listening', 'ready'],
    'an outage is told when it begins and when it ends, not with every look',
  )
  assert.equal((await stopBinary(server)).code, 0)
})

test('a server whose database never appears still stops with exit code 0', { skip }, async () => {
  const { proxy, environment } = await behindProxy()
  await proxy.cut()
  const server = await serveBinary(environment)
  const { code, out } = await stopBinary(server)
  assert.equal(code, 0)
  assert.doesNotMatch(out, /"ready"/)
})

test('a database that goes and comes back under load gives 2xx and 503 only, and nothing acknowledged is lost', {
  skip,
}, async () => {
  const { database, proxy, environment } = await behindProxy()
  const server = await serveBinary(environment)
  const clients = load(server)
  for (let round = 0; round < 2; round++) {
    const before = clients.acknowledged.length
    await until('writes are acknowledged', () => clients.acknowledged.length > before + 50)
    await proxy.cut()
    const refused = clients.answers.filter(({ status }) => status === 503).length
    await until(
      'callers are told',
      () => clients.answers.filter(({ status }) => status === 503).length > refused + 20,
    )
    await proxy.mend()
  }
  const before = clients.acknowledged.length
  await until('writes are acknowledged again', () => clients.acknowledged.length > before + 50)
  await clients.end()
  onlyServedOrTold(clients.answers)
  const rows = await database.pool<{ id: number }[]>`select id from site.news_post`
  const stored = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    clients.acknowledged.filter((id) => !stored.has(id)),
    [],
  )
  assert.equal((await stopBinary(server)).code, 0)
})

test('sessions that the database ends are replaced', { skip }, async () => {
  const { database, environment } = await behindProxy()
  const server = await serveBinary(environment)
  const clients = load(server)
  await until('writes are acknowledged', () => clients.acknowledged.length > 50)
  for (let round = 0; round < 5; round++) {
    await database.pool`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.catch(() => {})
    const before = clients.acknowledged.length
    await until('writes are acknowledged again', () => clients.acknowledged.length > before + 50)
  }
  await clients.end()
  onlyServedOrTold(clients.answers)
  assert.equal((await stopBinary(server)).code, 0)
})

test('a line that goes silent is answered with 503, and given up for a new one', { skip }, async () => {
  const { proxy, environment } = await behindProxy()
  const server = await serveBinary({ ...environment, DATABASE_TIMEOUT: '500ms', POOL_SIZE: '2' })
  // Every connection of the pool is made, so that none is left to be made anew.
  await Promise.all(['/api/news', '/api/media', '/api/stats/overview'].map((path) => ask(server.url, path)))
  proxy.swallow()
  const lost = await Promise.all([
    ask(server.url, '/api/news'),
    ask(server.url, '/api/media'),
    ask(server.url, '/api/stats/overview'),
    ask(server.url, '/api/news', { title: 'a', content: 'b' }),
  ])
  onlyServedOrTold(lost)
  assert.deepEqual(
    lost.map(({ status }) => status),
    [503, 503, 503, 503],
  )
  proxy.carry()
  await until('the server has a new line', healthy(server))
  assert.equal((await ask(server.url, '/api/news', { title: 'a', content: 'b' })).status, 201)
  assert.equal((await stopBinary(server)).code, 0)
})

test('GET /api/health answers 503 on a line that goes silent, before other requests do, and 200 on a new one', {
  skip,
}, async () => {
  const { proxy, environment } = await behindProxy()
  const server = await serveBinary({ ...environment, POOL_SIZE: '2' })
  await Promise.all(['/api/news', '/api/media', '/api/stats/overview'].map((path) => ask(server.url, path)))
  proxy.swallow()
  let isAnswered = false
  const other = ask(server.url, '/api/news')
    .finally(() => {
      isAnswered = true
    })
    .catch(() => 'cut')
  const answers = await Promise.all([1, 2, 3].map(() => ask(server.url, '/api/health')))
  assert.equal(isAnswered, false)
  for (const { status, retryAfter, body } of answers)
    assert.deepEqual(
      { status, retryAfter, body },
      { status: 503, retryAfter: '1', body: { error: 'the database does not answer' } },
    )
  proxy.carry()
  await proxy.cut()
  await proxy.mend()
  await until('the server has a new line', healthy(server))
  await other
  assert.equal((await stopBinary(server)).code, 0)
})

test('a line that goes silent does not keep the server from stopping', { skip }, async () => {
  const { proxy, environment } = await behindProxy()
  const server = await serveBinary({ ...environment, SESSION_MAX_AGE: '1ms', DATABASE_TIMEOUT: '1s' })
  proxy.swallow()
  const lost = ask(server.url, '/api/news').catch(() => 'cut')
  assert.equal((await stopBinary(server)).code, 0)
  await lost
})
