import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Bench, type BenchContext, quantile, type Report } from './support/bench.ts'
import { type Forge, startForge } from './support/forge.ts'
import { commitOf, push } from './support/git.ts'
import { processMemory } from './support/process.ts'

/** Bytes of the file that is asked for: the largest that is sent has 8 MiB. */
const fileBytes = 8_000_000

/** Requests that leave at once, readers that read nothing, and how many requests per second leave for how long. */
const amounts = { abandoned: 400, readers: 150, perSecond: 40, seconds: 30 }

/** Seconds that others are watched after requests have left, and until memory is read again. */
const rest = { watched: 10, settled: 20 }

/** What other clients ask for meanwhile: nothing but HTTP, the database, a page that asks git. */
const others = ['/api/health', '/api/v1/repos/bench/raw', '/bench/raw/src/branch/main']

/** The network of the clients that do harm, and of the others. */
const networks = { harm: '192.0.2.1', others: '198.51.100.1' }

export const rawFiles: Bench = {
  name: 'raw-files',
  about: `Clients that ask for a raw file of 8 MB and do not read it: ${amounts.abandoned} that leave at once, ${amounts.readers} \
that stay for ${rest.watched} seconds, ${amounts.perSecond} per second for ${amounts.seconds} seconds that leave at once. Meanwhile \
another client asks for health, a repository (API) and a folder (page) in turn, and the slowest of its answers counts. \
Memory is resident memory of the server.`,
  async run(context) {
    const forge = await startForge(context, 'raw')
    try {
      await prepare(context, forge)
      return await measureAll(forge)
    } finally {
      await forge.child.kill()
    }
  },
}

async function prepare(context: BenchContext, forge: Forge): Promise<void> {
  const folder = join(context.folder, 'raw-commit')
  await commitOf(folder, 1, fileBytes)
  await forge.call('POST', '/api/v1/user/repos', 201, { name: 'raw' })
  await push(folder, forge, 'raw')
}

/** What one kind of harm did to the others, and to memory. */
interface Effect {
  name: string
  slowest: number
  refused: number
  growth: number
  left: number
}

async function measureAll(forge: Forge): Promise<Report> {
  const address = { port: forge.child.port, path: '/bench/raw/raw/branch/main/file-0' }
  const effects = [
    await effectOf(forge, `${amounts.abandoned} that leave at once`, async () => {
      await Promise.all(Array.from({ length: amounts.abandoned }, () => abandon(address)))
      await pause(rest.watched * 1000)
    }),
    await effectOf(forge, `${amounts.readers} that read nothing`, async () => {
      const sockets = await Promise.all(Array.from({ length: amounts.readers }, () => ask(address)))
      await pause(rest.watched * 1000)
      for (const socket of sockets) socket.destroy()
    }),
    await effectOf(forge, `${amounts.perSecond} per second that leave at once`, async () => {
      for (let sent = 0; sent < amounts.perSecond * amounts.seconds; sent++) {
        void abandon(address)
        await pause(1000 / amounts.perSecond)
      }
    }),
  ]
  return reportOf(effects)
}

function reportOf(effects: readonly Effect[]): Report {
  const columns = [
    'Clients',
    'slowest answer to another, ms',
    'refused',
    'memory: most, MB',
    'memory: left, MB',
  ]
  const rows = effects.map(({ name, slowest, refused, growth, left }) => [
    name,
    ...[slowest, refused, growth, left].map((value) => value.toFixed(0)),
  ])
  const targets = effects.flatMap(({ name, slowest, refused, left }) => [
    atMost(`slowest answer to another client, ${name}`, 1000, slowest, 'ms'),
    atMost(`refused answers to another client, ${name}`, 0, refused, 'answers'),
    atMost(`memory that is left, ${name}`, 100, left, 'MB'),
  ])
  return { tables: [{ columns, rows }], targets, notes: [] }
}

/** Does harm while another client asks, and reads memory before, during and after it. */
async function effectOf(
  { url, child: { pid } }: Forge,
  name: string,
  harm: () => Promise<void>,
): Promise<Effect> {
  const memory = () => processMemory(pid)?.now ?? Number.NaN
  await askInTurn(url, pause(2000))
  const before = memory()
  let most = before
  const reading = setInterval(() => {
    most = Math.max(most, memory())
  }, 100)
  const { times, refused } = await askInTurn(url, harm())
  clearInterval(reading)
  await pause(rest.settled * 1000)
  return { name, slowest: quantile(times, 1), refused, growth: most - before, left: memory() - before }
}

/** Asks for each path in turn until `end`; gives the milliseconds of the answers, and how many were not 200. */
async function askInTurn(url: string, end: Promise<void>): Promise<{ times: number[]; refused: number }> {
  let isOver = false
  const ending = end.finally(() => {
    isOver = true
  })
  const times: number[] = []
  let refused = 0
  for (let at = 0; !isOver; at++) {
    const began = performance.now()
    const headers = { 'x-forwarded-for': networks.others }
    const answer = await fetch(url + others[at % others.length], { headers })
    await answer.arrayBuffer()
    times.push(performance.now() - began)
    if (answer.status !== 200) refused++
    await pause(20)
  }
  await ending
  return { times, refused }
}

/** Sends a request for the file, and reads nothing of the answer. */
async function ask({ port, path }: { port: number; path: string }): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // The server may close it at any time.
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${networks.harm}\r\n\r\n`)
  return socket
}

/** Sends a request for the file and leaves as soon as the request is sent. */
async function abandon(address: { port: number; path: string }): Promise<void> {
  const socket = await ask(address)
  setImmediate(() => socket.destroy())
}
