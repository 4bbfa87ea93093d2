import { atLeast, type BenchContext, type Report } from './bench.ts'
import type { Child } from './child.ts'
import { rounded, withSpread } from './figures.ts'
import type { Load } from './load.ts'
import { inRounds, measure, middle, type Request, ratios, replySize } from './measure.ts'

/** Connections that ask. */
export const readers = 64

/** The least share of a bare server's rate. */
const leastShare = 0.7

/** What is read, and whether it is taken compressed. */
export type Question = readonly [path: string, encoding?: 'br']

type Servers = Record<'server' | 'bare', Child>

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

/**
 * Reads of prepared bytes, each against bare `node:http` writing as many. All are asked in the same rounds: what a
 * process answers first it has not compiled yet.
 */
export async function readAgainstBare(
  context: BenchContext,
  servers: Servers,
  questions: readonly Question[],
): Promise<Report> {
  const pairs = await Promise.all(questions.map(([path, encoding]) => pairOf(servers, path, encoding)))
  const sides = pairs.flatMap(({ limit, own }) => [limit, own])
  const loads = await inRounds(context, sides, (short, { child, request }) =>
    measure(short, child, request, readers),
  )
  const measured = pairs.map(({ what, size, limit, own }) => {
    const [limits = [], ours = []] = [loads.get(limit), loads.get(own)]
    return { what, size, both: [middle(limits), middle(ours)], shares: ratios(ours, limits) }
  })
  return { tables: [{ columns, rows: measured.map(rowOf) }], targets: measured.map(targetOf), notes: [] }
}

async function pairOf({ server, bare }: Servers, path: string, encoding?: 'br'): Promise<Pair> {
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
  shares: readonly number[]
}

const columns = ['requests/s', 'bytes', 'bare', 'ours', 'share', 'bare, µs of a processor', 'ours']

const rowOf = ({ what, size, both, shares }: Measured) => [
  what,
  size.toLocaleString('en'),
  ...both.map(({ perSecond }) => rounded(perSecond)),
  withSpread(shares),
  ...both.map(({ serverMicros }) => rounded(serverMicros)),
]

const targetOf = ({ what, shares }: Measured) => atLeast(`${what}, against bare`, leastShare, shares, '×')
