import type { Bench, Ground, Report } from './support/bench.ts'
import { type Child, startChild } from './support/child.ts'
import { thousandEach } from './support/fill.ts'
import { inRounds, measure, middle, type Request, ratio, replySize } from './support/measure.ts'
import { newFilled, startProduct } from './support/servers.ts'

const connections = 64

/** What people and their tools read, and whether they take it compressed. */
const questions: readonly (readonly [path: string, encoding?: 'br'])[] = [
  ['/'],
  ['/overview'],
  ['/api/swagger'],
  ['/api/swagger', 'br'],
  ['/openapi3.v1.json'],
  ['/openapi3.v1.json', 'br'],
]

/** The least share of a bare server's rate. */
const leastShare = 0.7

export const pages: Bench = {
  name: 'pages',
  about: `Pages and documents over ${connections} connections, plain and in brotli, against bare \`node:http\` writing as \
many bytes. On a PostgreSQL server with 1,000 posts, with \`LOG_LEVEL=warn\`; many short rounds, every other one in the \
reverse order. Medians; a share is the median of the shares within a round.`,
  async run(ground) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const server = await startProduct(ground, await newFilled(ground, 'PostgreSQL', 'pages', thousandEach))
    const bare = await startChild({ words: [ground.script('peers/bare')], environment: {}, healthPath: '/1' })
    try {
      await readPages(ground, { server, bare }, report)
    } finally {
      await bare.kill()
      await server.kill()
    }
    return report
  },
}

async function readPages(
  ground: Ground,
  { server, bare }: Record<'server' | 'bare', Child>,
  report: Report,
): Promise<void> {
  const rows: string[][] = []
  for (const [path, encoding] of questions) {
    const size = await replySize(server, path, encoding)
    const asked: Request = { method: 'GET', path, status: 200, ...(encoding && { encoding }) }
    const limit = { child: bare, request: { ...asked, path: `/${size}` } }
    const own = { child: server, request: asked }
    const loads = await inRounds(ground, [limit, own], (short, { child, request }) =>
      measure(short, child, request, connections),
    )
    const [limits, ours] = [loads.get(limit) ?? [], loads.get(own) ?? []]
    const what = `GET ${path}${encoding ? ', brotli' : ''}`
    const share = ratio(ours, limits)
    const both = [middle(limits), middle(ours)]
    rows.push([
      what,
      size.toLocaleString('en'),
      ...both.map(({ perSecond }) => Math.round(perSecond).toLocaleString('en')),
      share.toFixed(2),
      ...both.map(({ serverMicros }) => serverMicros?.toFixed(1) ?? '–'),
    ])
    report.targets.push({
      what: `${what}, against bare`,
      bound: 'at least',
      wanted: leastShare,
      reached: share,
      unit: '×',
    })
    ground.say(`${what}: ${share.toFixed(2)} of bare`)
  }
  const columns = ['requests/s', 'bytes', 'bare', 'ours', 'share', 'bare, µs of a processor', 'ours']
  report.tables.push({ columns, rows })
}
