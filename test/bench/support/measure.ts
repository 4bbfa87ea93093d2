import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { type BenchContext, median } from './bench.ts'
import type { Child } from './child.ts'
import { rounded } from './figures.ts'
import type { Load, Plan, Request } from './load.ts'

export type { Request } from './load.ts'

/** A server under load; `databasePid` is that of the database server whose processor time is read too. */
type Loaded = Pick<Child, 'port' | 'pid'> & Pick<Plan, 'databasePid' | 'others'>

/** Loads a server from a process of its own, with one request or several by turns; gives what that process has seen. */
export async function measure(
  context: BenchContext,
  { port, pid, databasePid, others }: Loaded,
  asked: Request | readonly Request[],
  connections: number,
): Promise<Load> {
  const { seconds } = context.settings
  const plan: Plan = {
    port,
    pid,
    connections,
    warmUpSeconds: seconds / 3,
    seconds,
    requests: 'path' in asked ? [asked] : asked,
    ...(databasePid !== undefined && { databasePid }),
    ...(others && { others }),
  }
  const loading = promisify(execFile)(process.execPath, [context.script('support/load-process')], {
    timeout: Math.ceil((seconds * 2 + 30) * 1000),
  })
  loading.child.stdin?.end(JSON.stringify(plan))
  return JSON.parse((await loading).stdout)
}

/** How much shorter a round is, and how many times more rounds there are. */
const shorter = 3

/**
 * Measures all of them in many short rounds, every other one in the reverse order; gives the loads of each, one for each
 * round. A machine that is shared with others changes its speed from second to second, and by half: rates are compared
 * that were measured next to each other.
 */
export async function inRounds<Each>(
  context: BenchContext,
  all: readonly Each[],
  measureOne: (short: BenchContext, each: Each) => Promise<Load>,
): Promise<Map<Each, Load[]>> {
  const { seconds, rounds } = context.settings
  const short = { ...context, settings: { ...context.settings, seconds: seconds / shorter } }
  const results = new Map(all.map((each) => [each, [] as Load[]]))
  for (let round = 1; round <= rounds * shorter; round++) {
    context.say(`round ${round} of ${rounds * shorter}`)
    for (const each of round % 2 === 1 ? all : all.toReversed())
      results.get(each)?.push(await measureOne(short, each))
  }
  return results
}

/** The load of the middle rate. */
export function middle(loads: readonly Load[]): Load {
  const wanted = median(loads.map(({ perSecond }) => perSecond))
  const load = loads.find(({ perSecond }) => perSecond === wanted)
  if (!load) throw new Error('Nothing was measured')
  return load
}

/** Columns for what a load says of itself, and its figures in them. The microseconds are those of a processor. */
export const loadColumns = ['requests/s', 'server µs/request', 'median ms', 'p99 ms']
export const loadFigures = ({ perSecond, serverMicros, median, p99 }: Load): string[] =>
  [perSecond, serverMicros, median, p99].map(rounded)

/** The ratios of rates within each round, of what was measured next to each other; NaN without a peer. */
export function ratios(loads: readonly Load[], peer: readonly Load[] | undefined): number[] {
  return loads.map(({ perSecond }, round) => perSecond / (peer?.[round]?.perSecond ?? Number.NaN))
}

/** What a peer has to send for the same reply: bytes of the body, and headers besides those of every reply. */
interface ReplySize {
  body: number
  headers: number
  /** Characters of the values of those headers. */
  values: number
}

/** Headers that bare `node:http` sends as well. */
const common = new Set(['content-type', 'content-length', 'date', 'connection', 'keep-alive'])

/** Size of a reply as it is sent, for a peer that answers with as much. */
export async function replySize({ port }: Child, path: string, encoding?: string): Promise<ReplySize> {
  const headers = encoding === undefined ? {} : { 'Accept-Encoding': encoding }
  const asked = get({ port, path, headers, host: '127.0.0.1', agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let body = 0
  for await (const chunk of answer) body += chunk.length
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`)
  const further = Object.entries(answer.headers).filter(([name]) => !common.has(name))
  const values = further.reduce((sum, [, value]) => sum + String(value).length, 0)
  return { body, headers: further.length, values }
}
