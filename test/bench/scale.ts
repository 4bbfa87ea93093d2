import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Bench, type BenchContext, key, median, type Report } from './support/bench.ts'
import { askByTurns } from './support/caller.ts'
import type { Child } from './support/child.ts'
import { requestText } from './support/connection.ts'
import { rounded } from './support/figures.ts'
import { type Amounts, thousandEach } from './support/fill.ts'
import { forgetPeak, processMemory } from './support/process.ts'
import { type Kind, kinds, newFilled, startProduct } from './support/servers.ts'

const small: Amounts = { ...thousandEach, open: 1000 }

const large = (rows: number): Amounts => ({
  posts: rows,
  media: rows,
  activity: rows,
  visitors: rows,
  sessions: rows,
  open: rows / 10,
})

const lists = [
  '/api/news',
  '/api/news?limit=100',
  '/api/media',
  '/api/media?limit=100',
  '/api/stats/overview',
]

/** Something that is written between two reads, so that the second one has to look again. */
const write = requestText('POST', '/api/stats/session/start', JSON.stringify({ username: 'visitor-1' }))

/** How much more a list may cost with the large tables. */
const mostGrowth = 1.3

export const scale: Bench = {
  name: 'scale',
  about:
    'The time of each list on tables of 1,000 rows and on large ones: one connection to a server on each, asked by \
turns, one request at a time (so that nothing is shared); medians. Each list is asked while nothing is written, and again \
just after something was, when no answer that was kept holds. `GET /api/stats/users` has no cap: of it the time of one \
answer and the memory it takes are told.',
  async run(context) {
    const report: Report = { tables: [], targets: [], notes: [] }
    for (const kind of kinds) await compare(context, kind, report)
    return report
  },
}

async function compare(context: BenchContext, kind: Kind, report: Report): Promise<void> {
  const { rows } = context.settings
  context.say(`${kind}: filling tables of ${rows} rows`)
  const places = [
    await newFilled(context, kind, 'scale_small', small),
    await newFilled(context, kind, 'scale_large', large(rows)),
  ]
  const servers: Child[] = []
  for (const place of places) servers.push(await startProduct(context, place))
  const [few, many] = servers
  if (!few || !many) return
  try {
    await compareLists(context, kind, few, many, report)
    await readUsers(kind, many, rows / 10, report)
  } finally {
    for (const server of servers) await server.kill()
  }
}

async function compareLists(context: BenchContext, kind: Kind, few: Child, many: Child, report: Report) {
  const rows: string[][] = []
  const growths: { name: string; growth: number }[] = []
  for (const path of lists) {
    for (const before of [undefined, write]) {
      const name = `GET ${path}${before === undefined ? '' : ', just after a write'}`
      const { short, long } = await compareList(
        context,
        [few.port, many.port],
        requestText('GET', path),
        before,
      )
      growths.push({ name, growth: long / short })
      rows.push([name, ...[short, long].map(rounded), (long / short).toFixed(2)])
      context.say(`${kind}: ${name}: ${short.toFixed(3)} ms, ${long.toFixed(3)} ms`)
    }
  }
  const large = `${context.settings.rows.toLocaleString('en')} rows, ms`
  report.tables.push({ columns: [`On ${kind}`, '1,000 rows, ms', large, 'times'], rows })
  const most = growths.reduce((one, other) => (other.growth > one.growth ? other : one))
  const what = `the list that grows most on ${kind} (${most.name}), large against small`
  report.targets.push(key(atMost(what, mostGrowth, most.growth, '×')))
}

async function compareList(context: BenchContext, ports: [number, number], request: string, before?: string) {
  const { seconds, rounds } = context.settings
  const [short, long] = await askByTurns(ports, request, seconds * rounds, before)
  return { short: median(short), long: median(long) }
}

/** Two readings: the first one warms the caches of the database, the second counts. */
async function readUsers(kind: Kind, { port, pid }: Child, open: number, report: Report): Promise<void> {
  const before = processMemory(pid)
  forgetPeak(pid)
  let bytes = 0
  let milliseconds = 0
  for (let reading = 0; reading < 2; reading++) {
    const began = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}/api/stats/users`)
    bytes = (await answer.arrayBuffer()).byteLength
    milliseconds = performance.now() - began
    await pause(500)
  }
  const after = processMemory(pid)
  const megabytes = (value: number | undefined) => value?.toFixed(0) ?? '–'
  report.tables.push({
    columns: [
      `GET /api/stats/users on ${kind}`,
      'open sessions',
      'text, MB',
      'ms',
      'resident before, MB',
      'peak, MB',
    ],
    rows: [
      [
        'one answer',
        open.toLocaleString('en'),
        (bytes / 1e6).toFixed(1),
        milliseconds.toFixed(0),
        megabytes(before?.now),
        megabytes(after?.peak),
      ],
    ],
  })
}
