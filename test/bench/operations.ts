import { atLeast, type Bench, type BenchContext, type Report, type Target } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { newsText, thousandPosts } from './support/fill.ts'
import { startForge, tokenOf } from './support/forge.ts'
import type { Load } from './support/load.ts'
import {
  inRounds,
  loadColumns,
  loadFigures,
  measure,
  middle,
  type Request,
  ratios,
} from './support/measure.ts'
import { startFastify } from './support/servers.ts'

const connections = 32

const read = (path: string): Request => ({ method: 'GET', path: `/api/v1/${path}`, status: 200 })
const written = (path: string, body: object): Request => ({
  method: 'POST',
  path: `/api/v1/${path}`,
  body: JSON.stringify(body),
  status: 201,
})

/** What is asked of our server. */
const operations = {
  'GET /orgs/{org}': read('orgs/guild'),
  'GET /users/{username}': read('users/bench'),
  'GET /repos/{owner}/{repo}': read('repos/guild/tools'),
  'POST /repos/{owner}/{repo}/issues': written('repos/guild/tools/issues', {
    title: 'Issue {n}',
    body: newsText,
  }),
  'POST /orgs': written('orgs', { username: 'org-{n}' }),
} satisfies Record<string, Request>
type Operation = keyof typeof operations

/** What Fastify is asked: it inserts one row. */
const peerOperation = 'POST /api/news, Fastify'
const peerRequest: Request = {
  method: 'POST',
  path: '/api/news',
  body: JSON.stringify({ title: 'News of the day, {n}', content: newsText }),
  status: 201,
}

/** The least that an operation must reach, as a multiple of the rate of another one in the same round. */
const goals: readonly { operation: Operation; peer: Operation | typeof peerOperation; wanted: number }[] = [
  { operation: 'GET /repos/{owner}/{repo}', peer: 'GET /orgs/{org}', wanted: 0.5 },
  { operation: 'POST /repos/{owner}/{repo}/issues', peer: peerOperation, wanted: 0.12 },
  { operation: 'POST /orgs', peer: peerOperation, wanted: 0.45 },
]

export const operationsBench: Bench = {
  name: 'operations',
  about: `Requests of the management API on a PostgreSQL server in a second over ${connections} connections, by an administrator with a \
token: three reads of one object each; issues that are opened in one repository, which tell webhooks and watchers; \
organizations that are created, each with a team, an owner and an entry of the audit trail. Beside them Fastify 5 with \
pg, which inserts one row. All servers are running; many short rounds, every other one in the reverse order; a \
ratio is of two rates within a round. PostgreSQL runs with fsync on.`,
  async run(context) {
    const servers: Child[] = []
    try {
      const fastify = await startFastify(context, 'operations_fastify', thousandPosts)
      servers.push(fastify)
      const { child, authorization } = await startOurs(context)
      servers.push(child)
      const ours = Object.entries(operations).map(([name, request]) => {
        return { name, child, request: { ...request, authorization } }
      })
      const measured: Measured[] = [{ name: peerOperation, child: fastify, request: peerRequest }, ...ours]
      const loads = await inRounds(context, measured, (short, { child, request }) =>
        measure(short, child, request, connections),
      )
      return reportOf(loads)
    } finally {
      for (const child of servers) await child.kill()
    }
  },
}

/** A request to one of the servers. */
interface Measured {
  name: string
  child: Child
  request: Request
}

async function startOurs(context: BenchContext): Promise<{ child: Child; authorization: string }> {
  const forge = await startForge(context, 'operations')
  await forge.call('POST', '/api/v1/orgs', 201, { username: 'guild' })
  await forge.call('POST', '/api/v1/orgs/guild/repos', 201, { name: 'tools' })
  return { child: forge.child, authorization: await tokenOf(forge) }
}

/** The loads of each request, one for each round. */
type Results = ReadonlyMap<Measured, readonly Load[]>

function reportOf(results: Results): Report {
  const columns = ['Request', ...loadColumns]
  const rows = [...results].map(([{ name }, loads]) => [name, ...loadFigures(middle(loads))])
  return { tables: [{ columns, rows }], targets: targetsOf(results), notes: [] }
}

function targetsOf(results: Results): Target[] {
  const loadsOf = (wanted: string) => [...results].find(([{ name }]) => name === wanted)?.[1] ?? []
  return goals.map(({ operation, peer, wanted }) =>
    atLeast(`${operation}, against ${peer}`, wanted, ratios(loadsOf(operation), loadsOf(peer)), '×'),
  )
}
