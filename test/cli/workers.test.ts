import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import {
  type Environment,
  openHome,
  runBinary,
  type Serving,
  serveBinary,
  stopBinary,
} from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { freePort } from '../support/port.ts'
import { openProxy } from '../support/proxy.ts'
import { until } from '../support/wait.ts'

const needsServer = { skip: !onServer && 'the embedded database serves one process' }

async function serveWorkers(count: number, settings: Environment = {}) {
  const home = await openHome()
  return serveBinary({ ...home.environment, ...settings, WORKERS: String(count) })
}

/** The processes that take requests, in the order in which they said so. */
const workersOf = (server: Serving) =>
  server
    .lines()
    .filter(({ message }) => message === 'ready')
    .map(({ pid }) => Number(pid))

const post = (url: string, title: string) =>
  fetch(`${url}/api/news`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    // A connection that the primary hands to a worker at the moment of its death is never answered.
    signal: AbortSignal.timeout(5_000),
    body: JSON.stringify({ title, content: 'text' }),
  })

async function titles(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/news`, { headers: { connection: 'close' } })
  const posts: { title: string }[] = await response.json()
  return posts.map(({ title }) => title)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Processes as Linux tells of them (proc(5)). */
const parentOf = (pid: number) =>
  Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : []
}

test(
  'several workers answer on one port, and each sees at once what another one wrote',
  needsServer,
  async () => {
    const server = await serveWorkers(3)
    await until('all workers are ready', () => workersOf(server).length === 3)
    for (let number = 1; number <= 12; number++) {
      assert.equal((await post(server.url, `post ${number}`)).status, 201)
      assert.equal((await titles(server.url))[0], `post ${number}`)
    }
    assert.equal((await stopBinary(server)).code, 0)
    assert.deepEqual(workersOf(server).filter(isAlive), [])
  },
)

test(
  'a worker that is killed is replaced, and nothing that was acknowledged is lost',
  needsServer,
  async () => {
    const server = await serveWorkers(2)
    await until('both workers are ready', () => workersOf(server).length === 2)
    const [victim = 0, other = 0] = workersOf(server)
    const acknowledged: string[] = []
    const publish = async (title: string) => {
      const response = await post(server.url, title).catch(() => undefined)
      if (response?.status === 201) acknowledged.push(title)
    }
    const publishing = Array.from({ length: 18 }, (_, at) => publish(`post ${at}`))
    process.kill(victim, 'SIGKILL')
    await Promise.all(publishing)
    await until('another worker is ready', () => workersOf(server).length === 3)
    const published = await titles(server.url)
    assert.deepEqual(
      acknowledged.filter((title) => !published.includes(title)),
      [],
    )
    assert.ok(isAlive(other))
    assert.ok(
      server
        .lines()
        .some(({ message, signal }) => /worker ended/.test(String(message)) && signal === 'SIGKILL'),
    )
    assert.equal((await stopBinary(server)).code, 0)
  },
)

test('workers that die all at once, or before they serve, are replaced', needsServer, async () => {
  // A port of the system would be another one after the last worker.
  const server = await serveWorkers(2, { PORT: String(await freePort()) })
  await until('both workers are ready', () => workersOf(server).length === 2)
  const first = workersOf(server)
  const primary = parentOf(first[0] ?? 0)
  for (const pid of first) process.kill(pid, 'SIGKILL')
  const young = await until('another worker starts', () =>
    childrenOf(primary).find((pid) => !first.includes(pid)),
  )
  process.kill(young, 'SIGKILL')
  await until('two others are ready', () => workersOf(server).length === 4)
  assert.ok(!workersOf(server).includes(young))
  assert.equal((await post(server.url, 'served again')).status, 201)
  server.signal('SIGHUP')
  assert.equal((await server.ended).code, 0)
  assert.deepEqual(childrenOf(primary), [])
})

test(
  'all workers start once the database is there, also where the first of them has died',
  needsServer,
  async () => {
    const home = await openHome()
    const line = await openProxy(home.environment.DATABASE_URL ?? '')
    after(() => line.close())
    await line.cut()
    const settings = { DATABASE_URL: line.url, WORKERS: '2', PORT: String(await freePort()) }
    const server = await serveBinary({ ...home.environment, ...settings })
    const pidOf = (message: string) => Number(server.lines().find((each) => each.message === message)?.pid)
    process.kill(pidOf('listening'), 'SIGKILL')
    await until('it is noticed', () => pidOf('a worker ended; another one starts'))
    await line.mend()
    await until('both workers are ready', () => workersOf(server).length === 2)
    assert.equal((await stopBinary(server)).code, 0)
  },
)

test(
  'workers that get the signal too end only once the primary stops them, with exit code 0',
  needsServer,
  async () => {
    const server = await serveWorkers(2)
    await until('both workers are ready', () => workersOf(server).length === 2)
    for (const pid of workersOf(server)) process.kill(pid, 'SIGINT')
    assert.equal((await post(server.url, 'still here')).status, 201)
    server.signal('SIGINT')
    assert.equal((await server.ended).code, 0)
  },
)

test('a fault of the start is printed once and ends the whole server', needsServer, async () => {
  const home = await openHome()
  const holder = createServer().listen(0, '127.0.0.1')
  after(() => holder.close())
  await once(holder, 'listening')
  const address = holder.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { code, err } = await runBinary([], {
    ...home.environment,
    HOST: '127.0.0.1',
    PORT: String(port),
    WORKERS: '4',
  })
  assert.equal(code, 1)
  assert.equal(err.match(/another process uses port/g)?.length, 1)
})

test('WORKERS without DATABASE_URL is a fault of the configuration', async () => {
  const { code, err } = await runBinary([], { WORKERS: '2', DATA_DIR: '/nowhere' })
  assert.equal(code, 1)
  assert.equal(err, 'forgehall: WORKERS needs DATABASE_URL: the embedded database serves one process\n')
})
