import { onBareServers, type Question, readAgainstBare, readers } from './support/against-bare.ts'
import { startRendering } from './support/background-load.ts'
import { atLeast, atMost, type Bench, type BenchContext, key, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import type { Load } from './support/load.ts'
import { loadColumns, loadFigures, measure, middle, type Request } from './support/measure.ts'
import { readmeOf } from './support/readme.ts'
import { newDatabase, startProduct } from './support/servers.ts'
import { fillUsers } from './support/users.ts'

/** Reads of what never changes. */
const templates: readonly Question[] = [
  ['/api/v1/gitignore/templates'],
  ['/api/v1/gitignore/templates/Node'],
  ['/api/v1/label/templates'],
  ['/api/v1/licenses'],
  ['/api/v1/licenses/MIT'],
]

const readme = readmeOf(10_000)
const large = readmeOf(1_000_000)

export const rendering: Bench = {
  name: 'rendering',
  about: `Templates over ${readers} connections, against bare \`node:http\` writing as many bytes; a README of 10 kB \
that no one has rendered before (one after another), and one that was; \`GET /api/health\` while documents of 1 MB are \
rendered one after another. On a PostgreSQL server, with \`LOG_LEVEL=warn\`.`,
  async run(context) {
    const place = await newDatabase(context, 'rendering')
    const authorization = `token ${await fillUsers(place, 1)}`
    const server = await startProduct(context, place)
    return await onBareServers(context, server, async (servers) => {
      const report = await readAgainstBare(context, servers, templates)
      await render(context, server, authorization, report)
      return report
    })
  },
}

const medians = (loads: readonly Load[]) => loads.map(({ median }) => median)
const ratesOf = (loads: readonly Load[]) => loads.map(({ perSecond }) => perSecond)

async function rate(context: BenchContext, child: Child, request: Request, from = readers) {
  const loads: Load[] = []
  for (let round = 0; round < context.settings.rounds; round++)
    loads.push(await measure(context, child, request, from))
  return loads
}

async function render(
  context: BenchContext,
  server: Child,
  authorization: string,
  report: Report,
): Promise<void> {
  const ask = (text: string): Request => {
    const body = JSON.stringify({ Text: text, Mode: 'gfm', Context: 'ada/engine' })
    return { method: 'POST', path: '/api/v1/markdown', body, status: 200, authorization }
  }
  const fresh = await rate(context, server, ask(`${readme}\n{n}`), 1)
  const again = await rate(context, server, ask(readme))
  const background = startRendering(server.port, authorization, large)
  const health = await rate(context, server, { method: 'GET', path: '/api/health', status: 200 }, 4)
  const rendered = await background.stop()
  report.tables.push({
    columns: ['rendering', ...loadColumns],
    rows: [
      ['10 kB, new each time', ...loadFigures(middle(fresh))],
      ['10 kB, the same', ...loadFigures(middle(again))],
      ['GET /api/health beside 1 MB', ...loadFigures(middle(health))],
    ],
  })
  report.notes.push(
    `Documents of 1 MB meanwhile: ${rendered.done} rendered, ${rendered.refused} given up at the limit of time.`,
  )
  report.targets.push(
    key(atMost('a README of 10 kB, new each time', 20, medians(fresh), 'ms')),
    atLeast('a README of 10 kB, the same', 2000, ratesOf(again), 'requests/s'),
    atMost(
      'GET /api/health beside 1 MB, p99',
      20,
      health.map(({ p99 }) => p99),
      'ms',
    ),
  )
}
