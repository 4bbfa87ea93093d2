import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beginOn } from '../../src/db/begin.ts'
import { createSecrets } from '../../src/db/encryption/secrets.ts'
import type { Pool } from '../../src/db/sql.ts'
import { insertDeliveries, type NewDelivery } from '../../src/forge/webhooks/delivery/delivery-store.ts'
import { insertHook } from '../../src/forge/webhooks/hook-store.ts'
import { hookDraft } from '../support/forge/hooks.ts'
import { atMost, type Bench, type BenchContext, median, type Report } from './support/bench.ts'
import { onDatabase, type Place } from './support/fill.ts'
import { type Kind, kinds, newDatabase, newFolder, startProduct } from './support/servers.ts'

/** Deliveries that wait when the server starts. */
const queued = 1000

/** Milliseconds that the receiver takes, so that requests are open beside each other. */
const thinks = 5

/** Milliseconds after which a drain has failed. */
const patience = 60_000

const secretKey = 'the key of a bench that is long enough'
const secret = 'known to both'
const body = JSON.stringify({ ref: 'refs/heads/main', commits: Array(5).fill('x'.repeat(1500)) }, null, 2)
const signature = createHmac('sha256', secret).update(body).digest('hex')

export const webhooks: Bench = {
  name: 'webhooks',
  about: `${queued.toLocaleString('en')} queued deliveries of 8 kB, signed, to a receiver on the same machine that answers \
after 5 ms: from the arrival of the first to that of the last, and the most requests that were open at one time. Each \
round has a new database.`,
  async run(context) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const rows: string[][] = []
    for (const kind of kinds) {
      for (const count of [1, 4]) {
        const name = `${kind}, ${count === 1 ? 'one webhook' : `${count} webhooks`}`
        const drains: Drain[] = []
        for (let round = 0; round < context.settings.rounds; round++)
          drains.push(await drainOnce(context, kind, `webhooks_${count}_${round}`, count))
        const seconds = median(drains.map((each) => each.seconds))
        const open = Math.max(...drains.map((each) => each.mostOpen))
        rows.push([name, seconds.toFixed(2), String(open)])
        report.targets.push(
          atMost(`${name}: drained`, 5, seconds, 's'),
          atMost(`${name}: open at once`, 20, open, 'requests'),
        )
        context.say(`${name}: ${seconds.toFixed(2)} s, ${open} open`)
      }
    }
    report.tables.push({ columns: [`${queued} deliveries`, 'seconds', 'open at once'], rows })
    return report
  },
}

interface Drain {
  seconds: number
  mostOpen: number
}

async function drainOnce(context: BenchContext, kind: Kind, name: string, count: number): Promise<Drain> {
  const receiver = await startReceiver()
  try {
    const place = kind === 'PostgreSQL' ? await newDatabase(context, name) : newFolder(context, name)
    await fill(place, receiver.url, count)
    const settings = { SECRET_KEY: secretKey, WEBHOOK_ALLOWED_HOSTS: 'loopback' }
    const server = await startProduct(context, place, { settings })
    return await receiver.drained.finally(server.stop)
  } finally {
    await receiver.close()
  }
}

/** Queues the deliveries, a part for each webhook. */
async function fill(place: Place, url: string, count: number): Promise<void> {
  await onDatabase(place, async (pool) => {
    const ids: number[] = []
    for (let at = 0; at < count; at++) ids.push(await addHook(pool, url))
    const deliveries = Array.from({ length: queued }, (_, at): NewDelivery => {
      return { hook_id: ids[at % count] ?? 0, event: 'push', event_type: 'push', body }
    })
    await insertDeliveries(pool, deliveries, new Date())
  })
}

async function addHook(pool: Pool, url: string): Promise<number> {
  const begin = beginOn(pool, () => new Date())
  const draft = hookDraft(url, { secret })
  const { id } = await begin((tx) => insertHook(tx, createSecrets([secretKey]), draft))
  return id
}

/** Answers at once, and holds each request against signature and id. */
async function startReceiver() {
  const seen = new Set<string>()
  let first = 0
  let open = 0
  let mostOpen = 0
  let done: (drain: Drain) => void = () => {}
  let failed: (error: Error) => void = () => {}
  const drained = new Promise<Drain>((resolve, reject) => {
    done = resolve
    failed = reject
  })
  const timer = setTimeout(() => failed(new Error(`${seen.size} of ${queued} arrived in time`)), patience)
  const server = createServer((request, response) => {
    if (first === 0) first = performance.now()
    mostOpen = Math.max(mostOpen, ++open)
    response.on('close', () => open--)
    const id = String(request.headers['x-gitea-delivery'])
    if (seen.has(id)) failed(new Error(`${id} came twice`))
    if (request.headers['x-gitea-signature'] !== signature) failed(new Error('a signature is wrong'))
    seen.add(id)
    request.resume().on('end', () => setTimeout(() => response.end(), thinks))
    if (seen.size === queued) done({ seconds: (performance.now() - first) / 1000, mostOpen })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => closeServer(server, timer)
  return { url: `http://127.0.0.1:${portOf(server)}/`, drained, close }
}

function closeServer(server: Server, timer: NodeJS.Timeout): Promise<void> {
  clearTimeout(timer)
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

const portOf = (server: Server) => (server.address() as AddressInfo).port
