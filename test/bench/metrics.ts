import { freePort } from '../support/port.ts'
import { startScraping } from './support/background-load.ts'
import { atLeast, type Bench, type BenchContext, key, type Report } from './support/bench.ts'
import { type Child, startChild } from './support/child.ts'
import { fill, thousandEach } from './support/fill.ts'
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
import { newDatabase, newFolder } from './support/servers.ts'

const connections = 64

/** Milliseconds between two readings of the metrics. */
const interval = 1000

/** The least share of the rate that is left when the metrics are on and read. */
const leastShare = 0.98

const news: Request = { method: 'GET', path: '/api/news', status: 200 }

export const metrics: Bench = {
  name: 'metrics',
  about: `\`GET /api/news\` over ${connections} connections, of two servers in one process: one without metrics, and one with \
\`METRICS_PORT\`, whose \`/metrics\` is read once a second. Two processes of one build differ by more than metrics cost; two servers \
in one process run the same compiled code. They share a database with 1,000 posts on a PostgreSQL server. Many short rounds, every other \
one in the reverse order; a ratio is of the two servers in the same round.`,
  async run(context) {
    const pair = await startPair(context)
    try {
      return reportOf(await inRounds(context, [pair.plain, pair.metered], measureOne))
    } finally {
      await pair.plain.child.kill()
    }
  },
}

/** One of the two servers, and where its metrics are read. */
interface Measured {
  child: Child
  metricsPort: number | undefined
}

async function startPair(context: BenchContext): Promise<{ plain: Measured; metered: Measured }> {
  const place = await newDatabase(context, 'metrics')
  await fill(place, thousandEach)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = await startChild({
    words: [context.script('peers/server-pair')],
    environment: {
      DATABASE_URL: place.url,
      DATA_DIR: newFolder(context, 'metrics').dataDir,
      LOG_LEVEL: 'warn',
      METERED_PORT: String(port),
      METRICS_PORT: String(metricsPort),
    },
    healthPath: '/api/health',
  })
  return {
    plain: { child, metricsPort: undefined },
    metered: { child: { ...child, port }, metricsPort },
  }
}

async function measureOne(context: BenchContext, { child, metricsPort }: Measured): Promise<Load> {
  const scraping = metricsPort === undefined ? undefined : startScraping(metricsPort, interval)
  const load = await measure(context, child, news, connections)
  await scraping?.stop()
  return load
}

function reportOf(results: ReadonlyMap<Measured, readonly Load[]>): Report {
  const [without = [], scraped = []] = results.values()
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
