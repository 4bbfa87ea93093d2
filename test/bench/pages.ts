import type { Bench, Ground, Report, Target } from './support/bench.ts'
import { type Child, startChild } from './support/child.ts'
import { thousandEach } from './support/fill.ts'
import type { Load } from './support/load.ts'
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
    const server = await startProduct(ground, await newFilled(ground, 'PostgreSQL', 'pages', thousandEach))
    const bare = await startChild({ words: [ground.script('peers/bare')], environment: {}, healthPath: '/1' })
    try {
      return await readPages(ground, { server, bare })
    } finally {
      await bare.kill()
      await server.kill()
    }
  },
}

/** A page or document, and as many bytes from the bare server. */
interface Pair {
  what: string
  size: number
  limit: Side
  own: Side
}

interface Side {
  child: Child
  request: Request
}

/** All are asked in the same rounds: what a process answers first it has not compiled yet. */
async function readPages(ground: Ground, servers: Record<'server' | 'bare', Child>): Promise<Report> {
  const pairs = await Promise.all(questions.map(([path, encoding]) => pairOf(servers, path, encoding)))
  const sides = pairs.flatMap(({ limit, own }) => [limit, own])
  const loads = await inRounds(ground, sides, (short, { child, request }) =>
    measure(short, child, request, connections),
  )
  const measured = pairs.map(({ what, size, limit, own }) => {
    const [limits = [], ours = []] = [loads.get(limit), loads.get(own)]
    return { what, size, both: [middle(limits), middle(ours)], share: ratio(ours, limits) }
  })
  return { tables: [{ columns, rows: measured.map(rowOf) }], targets: measured.map(targetOf), notes: [] }
}

async function pairOf(
  { server, bare }: Record<'server' | 'bare', Child>,
  path: string,
  encoding?: 'br',
): Promise<Pair> {
  const size = await replySize(server, path, encoding)
  const request: Request = { method: 'GET', path, status: 200, ...(encoding && { encoding }) }
  return {
    what: `GET ${path}${encoding ? ', brotli' : ''}`,
    size,
    limit: { child: bare, request: { ...request, path: `/${size}` } },
    own: { child: server, request },
  }
}

interface Measured extends Pick<Pair, 'what' | 'size'> {
  both: readonly Load[]
  share: number
}

const columns = ['requests/s', 'bytes', 'bare', 'ours', 'share', 'bare, µs of a processor', 'ours']

const rowOf = ({ what, size, both, share }: Measured) => [
  what,
  size.toLocaleString('en'),
  ...both.map(({ perSecond }) => Math.round(perSecond).toLocaleString('en')),
  share.toFixed(2),
  ...both.map(({ serverMicros }) => serverMicros?.toFixed(1) ?? '–'),
]

const targetOf = ({ what, share }: Measured): Target => ({
  what: `${what}, against bare`,
  bound: 'at least',
  wanted: leastShare,
  reached: share,
  unit: '×',
})
