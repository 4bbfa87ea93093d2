import { join } from 'node:path'
import { startPublishing } from './support/background-load.ts'
import {
  atLeast,
  type Bench,
  type BenchContext,
  key,
  type Report,
  type Table,
  type Target,
} from './support/bench.ts'
import type { Child } from './support/child.ts'
import { withSpread } from './support/figures.ts'
import { newsText, thousandEach } from './support/fill.ts'
import type { Load } from './support/load.ts'
import {
  inRounds,
  loadColumns,
  loadFigures,
  measure,
  middle,
  type Request,
  ratios,
  replySize,
} from './support/measure.ts'
import {
  emptyLog,
  type Kind,
  kinds,
  newFilled,
  startBare,
  startFastify,
  startProduct,
} from './support/servers.ts'

const connections = 64
const news: Request = { method: 'GET', path: '/api/news', status: 200 }

/** Posts in a second that are published while it is measured how fast they can be read. */
const published = 20

/** A request to measure; `beside`: while posts are published. */
type Measured = Request & { beside?: true }

const operations: Record<string, Measured> = {
  'GET /api/news': news,
  [`GET /api/news, ${published} posts/s beside`]: { ...news, beside: true },
  'GET /api/stats/overview': { method: 'GET', path: '/api/stats/overview', status: 200 },
  'POST /api/news': {
    method: 'POST',
    path: '/api/news',
    body: JSON.stringify({ title: 'News of the day, {n}', content: newsText }),
    status: 201,
  },
}

/** The least that ours must reach with its log at `warn`, as a multiple of a peer's rate. */
const goals = [
  { operation: 'GET /api/news', peer: 'bare', wanted: 0.7 },
  { operation: 'GET /api/news', peer: 'Fastify', wanted: 5 },
  { operation: 'GET /api/stats/overview', peer: 'bare', wanted: 0.7 },
  { operation: 'POST /api/news', peer: 'Fastify', wanted: 2.5 },
] as const

/** The least that is left of a rate with the log at `info`. */
const leastWithLog = 0.8

const nameOf = (kind: Kind, logLevel: string) => `ours, ${kind}, log ${logLevel}`

/** One of those that are compared. */
interface Contender {
  name: string
  child: Child
  /** File of its log, where it has one. */
  log?: string
}

export const throughput: Bench = {
  name: 'throughput',
  about: `Requests in a second over ${connections} connections, one process each, on the same data of 1,000 posts: bare \
\`node:http\` writing a constant of the same size (the limit), Fastify 5 with pg, and ours on both databases, with the \
default log written to a file and with \`LOG_LEVEL=warn\`. All are running; many short rounds, every other one in \
the reverse order; a ratio is of two rates within a round. PostgreSQL runs with fsync on.`,
  async run(context) {
    const contenders = await startAll(context)
    try {
      return reportOf(await measureAll(context, contenders))
    } finally {
      for (const { child } of contenders) await child.kill()
    }
  },
}

async function startAll(context: BenchContext): Promise<Contender[]> {
  const contenders: Contender[] = [
    { name: 'bare', child: await startBare(context) },
    { name: 'Fastify', child: await startFastify(context, 'fastify', thousandEach) },
  ]
  for (const kind of kinds) {
    for (const logLevel of ['info', 'warn']) contenders.push(await startOurs(context, kind, logLevel))
  }
  return contenders
}

async function startOurs(context: BenchContext, kind: Kind, logLevel: string): Promise<Contender> {
  const place = await newFilled(context, kind, `${kind}_${logLevel}`.toLowerCase(), thousandEach)
  const log = join(context.folder, `${kind}-${logLevel}.log`)
  const child = await startProduct(context, place, { logLevel, log })
  return { name: nameOf(kind, logLevel), child, log }
}

/** Operation → contender → its loads, one for each round. */
type Results = ReadonlyMap<string, ReadonlyMap<string, readonly Load[]>>

/** Bare has no posts, and nothing that could be compared with writing one. */
const takesPart = ({ name }: Contender, { method }: Measured) => name !== 'bare' || method === 'GET'

async function measureAll(context: BenchContext, contenders: readonly Contender[]): Promise<Results> {
  const all = Object.entries(operations).flatMap(([operation, request]) =>
    contenders
      .filter((each) => takesPart(each, request))
      .map((contender) => ({ operation, request, contender })),
  )
  const ours = contenders.find(({ name }) => name.startsWith('ours'))
  const loads = await inRounds(context, all, async (short, { operation, request, contender }) => {
    const { name } = contender
    // Bare answers with a constant of the size that our own answer has now.
    const path =
      name === 'bare' && ours ? `/${(await replySize(ours.child, request.path)).body}` : request.path
    const load = await measureOne(short, contender, { ...request, path })
    context.say(`${operation}, ${name}: ${Math.round(load.perSecond)} requests/s`)
    return load
  })
  const results = new Map<string, Map<string, Load[]>>()
  for (const [{ operation, contender }, each] of loads) {
    const of = results.get(operation) ?? new Map<string, Load[]>()
    results.set(operation, of.set(contender.name, each))
  }
  return results
}

async function measureOne(
  context: BenchContext,
  { name, child, log }: Contender,
  request: Measured,
): Promise<Load> {
  const isBare = name === 'bare'
  const writer = request.beside && !isBare && startPublishing(child.port, published, newsText)
  const load = await measure(context, child, request, connections)
  if (writer) await writer.stop()
  if (log) emptyLog(log)
  return load
}

function reportOf(results: Results): Report {
  const targets: Target[] = []
  const tables: Table[] = []
  for (const [operation, loads] of results) {
    tables.push(tableOf(operation, loads))
    for (const kind of kinds) targets.push(...targetsOf(operation, kind, loads))
  }
  return { tables, targets, notes: [] }
}

/** The targets on a PostgreSQL server are the key ones. */
function targetsOf(operation: string, kind: Kind, loads: ReadonlyMap<string, readonly Load[]>): Target[] {
  const [quiet = [], logging = []] = [loads.get(nameOf(kind, 'warn')), loads.get(nameOf(kind, 'info'))]
  const targets = goals
    .filter((goal) => goal.operation === operation)
    .map(({ peer, wanted }) =>
      atLeast(`${operation} on ${kind}, against ${peer}`, wanted, ratios(quiet, loads.get(peer)), '×'),
    )
  if (operation === 'GET /api/news') {
    const left = ratios(logging, quiet)
    targets.push(atLeast(`${operation} on ${kind}, log at info, against warn`, leastWithLog, left, '×'))
  }
  return kind === 'PostgreSQL' ? targets.map(key) : targets
}

function tableOf(operation: string, loads: ReadonlyMap<string, readonly Load[]>): Table {
  const times = (name: string, peer: string) => {
    if (name === peer) return '1'
    return loads.has(peer) ? withSpread(ratios(loads.get(name) ?? [], loads.get(peer))) : '–'
  }
  const columns = [operation, 'of bare', 'of Fastify', ...loadColumns]
  const rows = [...loads].map(([name, all]) => {
    return [name, times(name, 'bare'), times(name, 'Fastify'), ...loadFigures(middle(all))]
  })
  return { columns, rows }
}
