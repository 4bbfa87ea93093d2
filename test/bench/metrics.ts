import { freePort } from '../support/port.ts'
import { startScraping } from './support/background-load.ts'
import { atLeast, type Bench, type BenchContext, key, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { thousandEach } from './support/fill.ts'
import type { Load } from './support/load.ts'
import {
  inRounds,
  loadColumns,
  loadFigures,
  measure,
  middle,
  type Request,
  ratios,
} from './support/measure.ts'
import { newFilled, startProduct } from './support/servers.ts'

const connections = 64

/** Milliseconds between two readings of the metrics. */
const interval = 1000

/** The least share of the rate that is left when the metrics are on and read. */
const leastShare = 0.98

/** Processes of each kind: two percent are less than what two processes of one kind differ by. */
const copies = 3

const news: Request = { method: 'GET', path: '/api/news', status: 200 }

export const metrics: Bench = {
  name: 'metrics',
  about: `\`GET /api/news\` over ${connections} connections, of ${copies} servers without metrics and ${copies} with \`METRICS_PORT\`, whose \
\`/metrics\` is read once a second. Each has a database of its own with 1,000 posts on a PostgreSQL server; many short \
rounds, every other one in the reverse order; a ratio is of a server with metrics and one without in the same round.`,
  async run(context) {
    const measured: Measured[] = []
    try {
      for (let copy = 1; copy <= copies; copy++) {
        measured.push(await start(context, `without_${copy}`))
        measured.push(await start(context, `with_${copy}`, await freePort()))
      }
      return reportOf(await inRounds(context, measured, measureOne))
    } finally {
      for (const { child } of measured) await child.kill()
    }
  },
}

/** One of the servers, and where its metrics are read. */
interface Measured {
  child: Child
  metricsPort: number | undefined
}

async function start(context: BenchContext, name: string, metricsPort?: number): Promise<Measured> {
  const place = await newFilled(context, 'PostgreSQL', `metrics_${name}`, thousandEach)
  const settings = metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) }
  return { child: await startProduct(context, place, { settings }), metricsPort }
}

async function measureOne(context: BenchContext, { child, metricsPort }: Measured): Promise<Load> {
  const scraping = metricsPort === undefined ? undefined : startScraping(metricsPort, interval)
  const load = await measure(context, child, news, connections)
  await scraping?.stop()
  return load
}

function reportOf(results: ReadonlyMap<Measured, readonly Load[]>): Report {
  const loads = [...results].map(([{ metricsPort }, each]) => ({
    isScraped: metricsPort !== undefined,
    each,
  }))
  const without = loads.flatMap(({ isScraped, each }) => (isScraped ? [] : each))
  const scraped = loads.flatMap(({ isScraped, each }) => (isScraped ? each : []))
  return {
    tables: [
      {
        columns: ['GET /api/news', ...loadColumns],
        rows: [
          ['without metrics', ...loadFigures(middle(without))],
          ['with metrics, read', ...loadFigures(middle(scraped))],
        ],
      },
    ],
    targets: [
      key(atLeast('requests/s with metrics, against without', leastShare, ratios(scraped, without), '×')),
    ],
    notes: [],
  }
}
