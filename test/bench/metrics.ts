import { freePort } from '../support/port.ts'
import { startScraping } from './support/background-load.ts'
import { type Bench, type Ground, median, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { thousandEach } from './support/fill.ts'
import type { Load } from './support/load.ts'
import { inRounds, measure, middle, type Request, ratios } from './support/measure.ts'
import { newFilled, startProduct } from './support/servers.ts'

const connections = 64

/** Milliseconds between two readings of the metrics. */
const interval = 1000

/** The least share of the rate that is left when the metrics are on and read. */
const leastShare = 0.98

/** Times as many rounds as elsewhere: two percent are less than what a machine changes from second to second. */
const moreRounds = 2

const news: Request = { method: 'GET', path: '/api/news', status: 200 }

export const metrics: Bench = {
  name: 'metrics',
  about: `\`GET /api/news\` over ${connections} connections, of a server without metrics and of one with \`METRICS_PORT\`, whose \
\`/metrics\` is read once a second. Each is on a PostgreSQL server with 1,000 posts; many short rounds, every other one \
in the reverse order. Medians; a share is the median of the shares within a round.`,
  async run(ground) {
    const measured: Measured[] = []
    try {
      const port = await freePort()
      measured.push(await start(ground, 'without', {}))
      const scraped = await start(ground, 'with', { METRICS_PORT: String(port) })
      measured.push({ ...scraped, metricsPort: port })
      const { settings } = ground
      const longer = { ...ground, settings: { ...settings, rounds: settings.rounds * moreRounds } }
      return reportOf(await inRounds(longer, measured, measureOne))
    } finally {
      for (const { child } of measured) await child.kill()
    }
  },
}

/** One of the two servers, and where its metrics are read. */
interface Measured {
  child: Child
  metricsPort?: number
}

async function start(ground: Ground, name: string, settings: Record<string, string>): Promise<Measured> {
  const place = await newFilled(ground, 'PostgreSQL', `metrics_${name}`, thousandEach)
  return { child: await startProduct(ground, place, { settings }) }
}

async function measureOne(ground: Ground, { child, metricsPort }: Measured): Promise<Load> {
  const scraping = metricsPort === undefined ? undefined : startScraping(metricsPort, interval)
  const load = await measure(ground, child, news, connections)
  await scraping?.stop()
  return load
}

function reportOf(results: ReadonlyMap<Measured, readonly Load[]>): Report {
  const [without = [], scraped = []] = results.values()
  const rates = ratios(scraped, without)
  const micros = scraped.map(
    ({ serverMicros }, round) => (serverMicros ?? Number.NaN) / (without[round]?.serverMicros ?? Number.NaN),
  )
  const row = (name: string, loads: readonly Load[]) => {
    const { perSecond, serverMicros, median: time, p99 } = middle(loads)
    return [
      name,
      Math.round(perSecond).toLocaleString('en'),
      serverMicros?.toFixed(1) ?? '–',
      time.toFixed(2),
      p99.toFixed(2),
    ]
  }
  return {
    tables: [
      {
        columns: ['GET /api/news', 'requests/s', 'server µs/request', 'median ms', 'p99 ms'],
        rows: [row('without metrics', without), row('with metrics, read', scraped)],
      },
      {
        columns: ['With metrics, against without', 'median', 'least', 'most'],
        rows: [spread('requests/s', rates), spread('server µs/request', micros)],
      },
    ],
    targets: [
      {
        what: 'requests/s with metrics, against without',
        bound: 'at least',
        wanted: leastShare,
        reached: median(rates),
        unit: '×',
      },
    ],
    notes: [],
  }
}

const spread = (name: string, values: readonly number[]) => [
  name,
  ...[median(values), Math.min(...values), Math.max(...values)].map((value) => value.toFixed(3)),
]
