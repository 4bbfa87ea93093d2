import { startRendering } from './support/background-load.ts'
import type { Bench, Ground, Report, Target } from './support/bench.ts'
import { type Child, startChild } from './support/child.ts'
import { measure, middle, type Request, replySize } from './support/measure.ts'
import { fillPeople } from './support/people.ts'
import { readmeOf } from './support/readme.ts'
import { newDatabase, startProduct } from './support/servers.ts'

const connections = 64

/** Reads of what never changes, as a multiple of a bare server's rate. */
const templates = [
  '/api/v1/gitignore/templates',
  '/api/v1/gitignore/templates/Node',
  '/api/v1/label/templates',
  '/api/v1/licenses',
  '/api/v1/licenses/MIT',
]
const leastShare = 0.85

const readme = readmeOf(10_000)
const large = readmeOf(1_000_000)

export const library: Bench = {
  name: 'library',
  about: `Templates over ${connections} connections, against bare \`node:http\` writing as many bytes; a README of 10 kB \
that no one has rendered before (one after another), and one that was; \`GET /api/health\` while documents of 1 MB are \
rendered one after another. On a PostgreSQL server, with \`LOG_LEVEL=warn\`; medians of rounds.`,
  async run(ground) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const place = await newDatabase(ground, 'library')
    const authorization = `token ${await fillPeople(place, 1)}`
    const server = await startProduct(ground, place)
    const bare = await startChild({ words: [ground.script('peers/bare')], environment: {}, healthPath: '/1' })
    try {
      await readTemplates(ground, { server, bare }, report)
      await render(ground, server, authorization, report)
    } finally {
      await bare.kill()
      await server.kill()
    }
    return report
  },
}

async function rate(ground: Ground, child: Child, request: Request, from = connections) {
  const loads = []
  for (let round = 0; round < ground.settings.rounds; round++)
    loads.push(await measure(ground, child, request, from))
  return middle(loads)
}

async function readTemplates(
  ground: Ground,
  { server, bare }: Record<'server' | 'bare', Child>,
  report: Report,
) {
  const rows: string[][] = []
  for (const path of templates) {
    const size = await replySize(server, path)
    const limit = await rate(ground, bare, { method: 'GET', path: `/${size}`, status: 200 })
    const ours = await rate(ground, server, { method: 'GET', path, status: 200 })
    const share = ours.perSecond / limit.perSecond
    const busy = [limit, ours].map(({ serverMicros }) => serverMicros?.toFixed(1) ?? '–')
    const rates = [limit, ours].map(({ perSecond }) => perSecond.toFixed(0))
    rows.push([`GET ${path}`, ...rates, share.toFixed(2), ...busy])
    report.targets.push(target(`GET ${path}, against bare`, 'at least', leastShare, share, '×'))
    ground.say(`GET ${path}: ${share.toFixed(2)} of bare`)
  }
  report.tables.push({
    columns: ['requests/s', 'bare', 'ours', 'share', 'bare, µs of a processor', 'ours'],
    rows,
  })
}

async function render(ground: Ground, server: Child, authorization: string, report: Report): Promise<void> {
  const ask = (text: string): Request => {
    const body = JSON.stringify({ Text: text, Mode: 'gfm', Context: 'ada/engine' })
    return { method: 'POST', path: '/api/v1/markdown', body, status: 200, authorization }
  }
  const fresh = await rate(ground, server, ask(`${readme}\n{n}`), 1)
  const again = await rate(ground, server, ask(readme))
  const background = startRendering(server.port, authorization, large)
  const health = await rate(ground, server, { method: 'GET', path: '/api/health', status: 200 }, 4)
  const rendered = await background.stop()
  report.tables.push({
    columns: ['rendering', 'requests/s', 'median, ms', 'p99, ms'],
    rows: [
      ['10 kB, new each time', fresh],
      ['10 kB, the same', again],
      ['GET /api/health beside 1 MB', health],
    ].map(([what, load]) => row(String(what), load as typeof fresh)),
  })
  report.notes.push(
    `Documents of 1 MB meanwhile: ${rendered.done} rendered, ${rendered.refused} given up at the limit of time.`,
  )
  report.targets.push(
    target('10 kB, new each time', 'at most', 20, fresh.median, 'ms'),
    target('10 kB, the same', 'at least', 2000, again.perSecond, 'requests/s'),
    target('GET /api/health beside 1 MB, p99', 'at most', 20, health.p99, 'ms'),
  )
}

const row = (
  what: string,
  { perSecond, median, p99 }: { perSecond: number; median: number; p99: number },
) => [what, perSecond.toFixed(0), median.toFixed(2), p99.toFixed(2)]

const target = (
  what: string,
  bound: Target['bound'],
  wanted: number,
  reached: number,
  unit: string,
): Target => ({ what, bound, wanted, reached, unit })
