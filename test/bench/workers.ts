import { setTimeout as pause } from 'node:timers/promises'
import { atLeast, type Bench, type BenchContext, key, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { newsText } from './support/fill.ts'
import { type Forge, startForge, tokenOf } from './support/forge.ts'
import {
  inRounds,
  loadColumns,
  loadFigures,
  measure,
  middle,
  type Request,
  ratios,
} from './support/measure.ts'

const connections = 64

/** Repositories that are read and in which issues are opened. */
const repositories = 50

/** Times as long as a measurement that each server is loaded before: every worker compiles, and every connection plans, anew. */
const warmUp = 5

/** `WORKERS` of the two servers that are compared. */
const counts = [1, 4] as const

export const workers: Bench = {
  name: 'workers',
  about: `Requests in a second over ${connections} connections, with \`WORKERS=1\` and \`WORKERS=4\`, each on a database of \
its own of one PostgreSQL server with fsync on: of six requests one publishes a post, one opens an issue, and four read \
${repositories} repositories and their issues by turns, with a token. Server, database and load share the machine. After a warm-up many \
short rounds, every other one in the reverse order; the ratio is of two rates within a round.`,
  async run(context) {
    const forges: Forge[] = []
    try {
      for (const count of counts)
        forges.push(await startForge(context, `workers_${count}`, { WORKERS: String(count) }))
      return await compare(context, forges)
    } finally {
      for (const { child } of forges) await child.stop()
    }
  },
}

async function compare(context: BenchContext, forges: readonly Forge[]): Promise<Report> {
  const databasePid = (await context.postgres()).pid()
  const measured: { child: Child & { databasePid: number }; requests: Request[] }[] = []
  for (const [at, forge] of forges.entries()) {
    await serving(forge, counts[at] ?? 1)
    measured.push({ child: { ...forge.child, databasePid }, requests: await prepare(forge) })
  }
  const { settings } = context
  const long = { ...context, settings: { ...settings, seconds: settings.seconds * warmUp } }
  for (const { child, requests } of measured) await measure(long, child, requests, connections)
  const loads = await inRounds(context, measured, async (short, { child, requests }) => {
    const load = await measure(short, child, requests, connections)
    context.say(`${Math.round(load.perSecond)} requests/s`)
    return load
  })
  const [one = [], several = []] = loads.values()
  const rows = [one, several].map((each, at) => {
    const load = middle(each)
    const processors = [load.serverCpu, load.databaseCpu].map((share) => share?.toFixed(1) ?? '–')
    return [`WORKERS=${counts[at]}`, ...loadFigures(load), ...processors]
  })
  return {
    tables: [{ columns, rows }],
    targets: [key(atLeast('four workers, against one', 1.6, ratios(several, one), '×'))],
    notes: [],
  }
}

const columns = ['Posts, issues and reads', ...loadColumns, 'server processors', 'PostgreSQL processors']

/** Waits until so many processes answer: request ids begin with a name of the process. */
async function serving({ url }: Forge, count: number): Promise<void> {
  const seen = new Set<string>()
  const until = performance.now() + 60_000
  while (seen.size < count) {
    if (performance.now() > until) throw new Error(`only ${seen.size} of ${count} workers answer`)
    const answer = await fetch(`${url}/api/health`, { headers: { connection: 'close' } })
    await answer.arrayBuffer()
    seen.add(answer.headers.get('x-request-id')?.replace(/-[^-]*$/, '') ?? '')
    await pause(5)
  }
}

/** Makes the repositories, with an issue each; gives the requests of the load. */
async function prepare(forge: Forge): Promise<Request[]> {
  const authorization = await tokenOf(forge)
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    status: 201,
    authorization,
  })
  const read = (path: string): Request => ({ method: 'GET', path, status: 200, authorization })
  const requests: Request[] = []
  for (let at = 0; at < repositories; at++) {
    const path = `/api/v1/repos/bench/many-${at}`
    await forge.call('POST', '/api/v1/user/repos', 201, { name: `many-${at}` })
    await forge.call('POST', `${path}/issues`, 201, { title: 'The first' })
    requests.push(
      post('/api/news', { title: 'News of the day, {n}', content: newsText }),
      read(path),
      read(`${path}/issues?limit=20`),
      post(`${path}/issues`, { title: 'Issue {n}', body: newsText }),
      read(`${path}/issues/1`),
      read(`${path}/labels`),
    )
  }
  return requests
}
