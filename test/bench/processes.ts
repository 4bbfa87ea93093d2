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
import { startProduct } from './support/servers.ts'

const connections = 64

/** Repositories that are read and in which issues are opened. */
const repositories = 50

/** Times as long as a measurement that each server is loaded before: every process compiles, and every connection plans, anew. */
const warmUp = 5

/** Processes of the two servers that are compared. */
const counts = [1, 4] as const

/** A forge, and all its processes. */
interface Server {
  forge: Forge
  children: readonly Child[]
}

export const processes: Bench = {
  name: 'processes',
  about: `Requests in a second over ${connections} connections, to one process and to four, which get connections by turns, each \
server on a database of its own of one PostgreSQL server with fsync on: of six requests one publishes a post, one opens an issue, and four read \
${repositories} repositories and their issues by turns, with a token. Server, database and load share the machine. After a warm-up many \
short rounds, every other one in the reverse order; the ratio is of two rates within a round.`,
  async run(context) {
    const servers: Server[] = []
    try {
      for (const count of counts) servers.push(await startServer(context, count))
      return await compare(context, servers)
    } finally {
      for (const { children } of servers) for (const child of children) await child.stop()
    }
  },
}

async function startServer(context: BenchContext, count: number): Promise<Server> {
  const forge = await startForge(context, `processes_${count}`)
  const children = [forge.child]
  const settings = { DATA_DIR: forge.dataDir }
  while (children.length < count)
    children.push(await startProduct(context, { url: forge.database }, { settings }))
  return { forge, children }
}

async function compare(context: BenchContext, servers: readonly Server[]): Promise<Report> {
  const databasePid = (await context.postgres()).pid()
  const measured = []
  for (const { forge, children } of servers)
    measured.push({
      child: { ...forge.child, others: children.slice(1), databasePid },
      requests: await prepare(forge),
    })
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
    return [`${counts[at]}`, ...loadFigures(load), ...processors]
  })
  return {
    tables: [{ columns, rows }],
    targets: [key(atLeast('four processes, against one', 1.6, ratios(several, one), '×'))],
    notes: [],
  }
}

const columns = ['Processes', ...loadColumns, 'server processors', 'PostgreSQL processors']

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
