import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { after, test } from 'node:test'
import { openCaller } from '../faults/support/caller.ts'
import { openHome, type Serving, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { freePort } from '../support/port.ts'
import { until } from '../support/wait.ts'

const skip = onServer
  ? !hasNginx && 'nginx or openssl is not installed'
  : 'the embedded database serves one process'

/** Two processes on one database and one `DATA_DIR`, behind nginx with the configuration in `docs`. */
async function startPair() {
  const { environment } = await openHome()
  const start = (port: number) => serveBinary({ ...environment, PORT: String(port) })
  const ports = [await freePort(), await freePort()] as const
  const pair: [Serving, Serving] = [await start(ports[0]), await start(ports[1])]
  const nginx = await startNginx(pair[0].url, pair[1].url)
  after(async () => {
    await nginx.close()
    for (const each of pair) await stopBinary(each)
  })
  const restart = async (at: 0 | 1) => {
    const { code } = await stopBinary(pair[at])
    pair[at] = await start(ports[at])
    return code
  }
  return { pair, nginx, restart }
}

const post = (title: string) => ({ title, content: 'text' })

/** An event stream through nginx; gives what has arrived. */
async function openStream({ port, ca }: Nginx) {
  const name = 'forge.example.org'
  const path = '/api/stats/stream'
  const asked = request({ host: '127.0.0.1', port, ca, servername: name, path, agent: false })
  after(() => asked.destroy())
  asked.setHeader('host', name).end()
  const [answer] = await once(asked, 'response')
  let received = ''
  answer
    .setEncoding('utf8')
    .on('error', () => {})
    .on('data', (text: string) => {
      received += text
    })
  return () => received
}

/** How many posts a process has accepted. */
const acceptedBy = (server: Serving) =>
  server.lines().filter(({ method, route }) => method === 'POST' && route === '/api/news').length

test('two processes behind nginx take requests by turns, and their event streams have the writes of both', {
  skip,
}, async () => {
  const { pair, nginx } = await startPair()
  const streams = [await openStream(nginx), await openStream(nginx)]
  const caller = openCaller(nginx)
  after(caller.close)
  for (let number = 1; number <= 6; number++)
    assert.equal(await caller.ask('POST', '/api/news', post(`post ${number}`)), '201')
  for (const received of streams)
    await until('the stream has the last post', () => received().includes('"post 6"'))
  for (const server of pair) await until('it has its share', () => acceptedBy(server) === 3)
})

test('a process that restarts behind nginx costs no request', { skip }, async () => {
  const { nginx, restart } = await startPair()
  const outcomes = new Set<string>()
  let running = true
  const work = async (at: number) => {
    const caller = openCaller(nginx)
    while (running)
      outcomes.add(
        at % 2 === 0
          ? await caller.ask('POST', '/api/news', post('under way'))
          : await caller.ask('GET', '/api/news'),
      )
    caller.close()
  }
  const callers = Array.from({ length: 16 }, (_, at) => work(at))
  for (const at of [0, 1, 0, 1] as const) assert.equal(await restart(at), 0)
  running = false
  await Promise.all(callers)
  assert.deepEqual([...outcomes].toSorted(), ['200', '201'])
})
