import { setTimeout as pause } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { atMost, type Bench, type BenchContext, key, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { keepAsking, requestText } from './support/connection.ts'
import { newsText, onDatabase, type Place } from './support/fill.ts'
import { type Kind, kinds, newFolder, startProduct } from './support/servers.ts'

/** Acknowledged writes of one round, before the moment of the kill is drawn. */
const writes = Number(process.env.BENCH_WRITES ?? 10_000)

/** Half of them publish posts, half of them start sessions. */
const connections = 64

/** The kill comes at a random moment of this time, in milliseconds, under unbroken load. */
const longestWait = 200

export const durability: Bench = {
  name: 'durability',
  about: `After ${writes.toLocaleString('en')} acknowledged writes over ${connections} connections and a random moment \
more, \`kill -9\` under load: of the server, and on PostgreSQL of every process of the database as well, one before the \
other by chance. Then all is started again on the same data and each acknowledged post and session is looked for, also \
those of the rounds before. A killed process shows that \
nothing acknowledged was still in its memory; that it also outlives a loss of power is the work of fsync, which is on.`,
  async run(context) {
    const rows: string[][] = []
    let lost = 0
    for (const kind of kinds) {
      const findings = await crashOften(context, kind)
      // The last round has looked for everything.
      const last = findings.at(-1)
      lost += last ? last.missing + last.twice : 0
      rows.push(...findings.map(rowOf))
    }
    return reportOf(rows, lost)
  },
}

function reportOf(rows: string[][], lost: number): Report {
  const columns = ['Killed', 'acknowledged', 'missing', 'written twice', 'written, not yet acknowledged']
  const what = 'acknowledged writes that are missing or doubled'
  return {
    tables: [{ columns, rows }],
    targets: [key(atMost(what, 0, lost, 'writes'))],
    notes: [],
  }
}

interface Finding {
  what: string
  acknowledged: number
  missing: number
  twice: number
  /** The kill came between the commit and the answer. */
  unheard: number
}

const rowOf = ({ what, acknowledged, missing, twice, unheard }: Finding): string[] => [
  what,
  ...[acknowledged, missing, twice, unheard].map((count) => count.toLocaleString('en')),
]

/** All rounds are on the same data, so that later ones also look for what earlier ones wrote. */
async function crashOften(context: BenchContext, kind: Kind): Promise<Finding[]> {
  const database = kind === 'PostgreSQL' ? await startPostgres({ fsync: true }) : undefined
  const place = database ? { url: database.url } : newFolder(context, 'durability')
  const written: Written = { asked: 0, acknowledged: new Set() }
  const findings: Finding[] = []
  try {
    for (let round = 1; round <= context.settings.rounds; round++) {
      const order = await crash(await startProduct(context, place), database, written)
      await database?.start()
      // Served again, by a server that knows nothing of the crash.
      await (await startProduct(context, place)).stop()
      const what = `${kind}, round ${round}${database ? `, ${order}` : ''}`
      const finding = { what, ...compare(written, await storedIn(place)) }
      findings.push(finding)
      context.say(rowOf(finding).join(' | '))
    }
  } finally {
    database?.remove()
  }
  return findings
}

interface Written {
  /** Names given out so far; each is used for one write. */
  asked: number
  acknowledged: Set<string>
}

/** Writes until enough is acknowledged, and kills everything a random moment later, under load. */
async function crash(server: Child, database: PostgresServer | undefined, written: Written): Promise<string> {
  const enough = written.acknowledged.size + writes
  const load = Array.from({ length: connections }, (_, at) => writeOn(server.port, at % 2 === 0, written))
  const closed = Promise.all(load)
  while (written.acknowledged.size < enough) {
    const byItself = await Promise.race([closed, pause(5)])
    if (byItself) throw new Error('The server closed its connections before it was killed')
  }
  await pause(Math.random() * longestWait)
  const killed = Math.random() < 0.5 ? [database, server] : [server, database]
  for (const each of killed) await each?.kill()
  await closed
  return killed[0] === server ? 'server first' : 'database first'
}

/** Posts or sessions, one after another, until the connection breaks. */
async function writeOn(port: number, posts: boolean, written: Written): Promise<void> {
  let name = ''
  await keepAsking({
    port,
    next: () => {
      name = `${posts ? 'post' : 'visitor'} ${++written.asked}`
      return posts
        ? requestText('POST', '/api/news', JSON.stringify({ title: name, content: newsText }))
        : requestText('POST', '/api/stats/session/start', JSON.stringify({ username: name }))
    },
    answered: (status) => {
      // Between the kill of the database and our own it refuses, which acknowledges nothing.
      if (status === 201) written.acknowledged.add(name)
      else if (status !== 503) throw new Error(`A write was answered with ${status}`)
    },
  })
}

/** How often each name stands in the database, as a post or as a session. */
async function storedIn(place: Place): Promise<Map<string, number>> {
  const rows = await onDatabase(
    place,
    (pool) => pool<{ name: string; times: number }[]>`
      select title as name, count(*) as times
      from site.news_post
      group by title
      union all
      select visitor.username, count(session.id)
      from site.visitor
      left join site.session on session.visitor_id = visitor.id
      group by visitor.username`,
  )
  return new Map(rows.map(({ name, times }) => [name, times]))
}

function compare({ acknowledged }: Written, stored: ReadonlyMap<string, number>): Omit<Finding, 'what'> {
  const missing = [...acknowledged].filter((name) => !stored.get(name)).length
  const twice = [...stored.values()].filter((times) => times > 1).length
  const unheard = [...stored.keys()].filter((name) => !acknowledged.has(name)).length
  return { acknowledged: acknowledged.size, missing, twice, unheard }
}
