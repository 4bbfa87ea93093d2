import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { type Ground, median } from './bench.ts'
import type { Child } from './child.ts'
import type { Load, Plan } from './load.ts'

/** What is asked of a server, and how it is to answer. */
export type Request = Pick<Plan, 'method' | 'path' | 'body' | 'authorization' | 'encoding' | 'status'>

/** Loads a server from a process of its own and gives what that has seen. */
export async function measure(
  ground: Ground,
  { port, pid }: Child,
  request: Request,
  connections: number,
): Promise<Load> {
  const { seconds } = ground.settings
  const plan: Plan = { port, pid, connections, warmUpSeconds: seconds / 3, seconds, ...request }
  const words = [ground.script('support/load-process'), JSON.stringify(plan)]
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    timeout: (seconds * 2 + 30) * 1000,
  })
  return JSON.parse(stdout)
}

/** How much shorter a round is, and how many times more rounds there are. */
const shorter = 3

/**
 * Measures all of them in many short rounds, every other one in the reverse order; gives the loads of each, one for each
 * round. A machine that is shared with others changes its speed from second to second, and by half: rates are compared
 * that were measured next to each other.
 */
export async function inRounds<Each>(
  ground: Ground,
  all: readonly Each[],
  measureOne: (short: Ground, each: Each) => Promise<Load>,
): Promise<Map<Each, Load[]>> {
  const { seconds, rounds } = ground.settings
  const short = { ...ground, settings: { ...ground.settings, seconds: seconds / shorter } }
  const results = new Map(all.map((each) => [each, [] as Load[]]))
  for (let round = 1; round <= rounds * shorter; round++) {
    ground.say(`round ${round} of ${rounds * shorter}`)
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

/** The median of the ratios within a round, of what was measured next to each other; NaN without a peer. */
export function ratio(loads: readonly Load[], peer: readonly Load[] | undefined): number {
  return median(loads.map(({ perSecond }, round) => perSecond / (peer?.[round]?.perSecond ?? Number.NaN)))
}

/** Size of a reply's body as it is sent, for a peer that answers with as much. */
export async function replySize({ port }: Child, path: string, encoding?: string): Promise<number> {
  const headers = encoding === undefined ? {} : { 'Accept-Encoding': encoding }
  const asked = get({ port, path, headers, host: '127.0.0.1', agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let size = 0
  for await (const chunk of answer) size += chunk.length
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`)
  return size
}
