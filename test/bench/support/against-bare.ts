import { atLeast, type BenchContext, type Report } from './bench.ts'
import type { Child } from './child.ts'
import { rounded, withSpread } from './figures.ts'
import type { Load } from './load.ts'
import { inRounds, measure, middle, type Request, ratios, replySize } from './measure.ts'
import { startBare } from './servers.ts'

/** Connections that ask. */
export const readers = 64

/** The least share of a bare server's rate. */
const leastShare = 0.7

/** What is read, and whether it is taken compressed. */
export type Question = readonly [path: string, encoding?: 'br']

/** A process answers one kind of reply faster than several, so the bare replies with more headers have one of their own. */
type Servers = Record<'server' | 'bare' | 'bareWithHeaders', Child>

/** A page or document, and as many bytes from the bare server, without and with as many headers. */
interface Compared {
  what: string
  size: number
  limit: Side
  limitWithHeaders: Side
  own: Side
}

interface Side {
  child: Child
  request: Request
}

/** Starts both bare servers beside `server`, measures, and stops all three. */
export async function onBareServers<Result>(
  context: BenchContext,
  server: Child,
  work: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const [bare, bareWithHeaders] = [await startBare(context), await startBare(context)]
  try {
    return await work({ server, bare, bareWithHeaders })
  } finally {
    for (const child of [bare, bareWithHeaders, server]) await child.kill()
  }
}

/**
 * Reads of prepared bytes, each against bare `node:http` writing as many, without and with as many headers. All are asked in the same rounds: what a
 * process answers first it has not compiled yet.
 */
export async function readAgainstBare(
  context: BenchContext,
  servers: Servers,
  questions: readonly Question[],
): Promise<Report> {
  const all = await Promise.all(questions.map(([path, encoding]) => comparedOf(servers, path, encoding)))
  const sides = all.flatMap(({ limit, limitWithHeaders, own }) => [limit, limitWithHeaders, own])
  const loads = await inRounds(context, sides, (short, { child, request }) =>
    measure(short, child, request, readers),
  )
  const measured = all.map(({ what, size, limit, limitWithHeaders, own }) => {
    const [limits = [], alike = [], ours = []] = [limit, limitWithHeaders, own].map((side) => loads.get(side))
    return {
      ...{ what, size, both: [middle(limits), middle(ours)] },
      shares: ratios(ours, limits),
      sharesWithHeaders: ratios(ours, alike),
    }
  })
  return { tables: [{ columns, rows: measured.map(rowOf) }], targets: measured.map(targetOf), notes: [] }
}

async function comparedOf(
  { server, bare, bareWithHeaders }: Servers,
  path: string,
  encoding?: 'br',
): Promise<Compared> {
  const { body, headers, values } = await replySize(server, path, encoding)
  const request: Request = { method: 'GET', path, status: 200, ...(encoding && { encoding }) }
  return {
    what: `GET ${path}${encoding ? ', brotli' : ''}`,
    size: body,
    limit: { child: bare, request: { ...request, path: `/${body}` } },
    limitWithHeaders: {
      child: bareWithHeaders,
      request: { ...request, path: `/${body}/${headers}/${values}` },
    },
    own: { child: server, request },
  }
}

interface Measured extends Pick<Compared, 'what' | 'size'> {
  both: readonly Load[]
  shares: readonly number[]
  sharesWithHeaders: readonly number[]
}

const columns = [
  ...['requests/s', 'bytes', 'bare', 'ours', 'of bare', 'of bare with as many headers'],
  ...['bare, µs of a processor', 'ours'],
]

const rowOf = ({ what, size, both, shares, sharesWithHeaders }: Measured) => [
  what,
  size.toLocaleString('en'),
  ...both.map(({ perSecond }) => rounded(perSecond)),
  withSpread(shares),
  withSpread(sharesWithHeaders),
  ...both.map(({ serverMicros }) => rounded(serverMicros)),
]

const targetOf = ({ what, shares }: Measured) => atLeast(`${what}, against bare`, leastShare, shares, '×')
