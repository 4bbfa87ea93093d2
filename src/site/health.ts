import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { unavailable } from '../http/route/problem.ts'
import { anyone, route } from './route.ts'

const Health = v.object({ ok: v.literal(true) })

/**
 * Longest wait for the database, in milliseconds. It is much shorter than that of other requests, because the probe of a
 * load balancer gives up after a few seconds and then learns nothing.
 */
const longestWait = 2_000

/** Answers only while the database does: whoever asks wants to know whether requests can be served. */
const health = route(
  'GET /api/health',
  { summary: 'Whether requests can be served', access: anyone, returns: [200, Health] },
  async ({ sql }) => {
    await askDatabase(sql)
    return { ok: true as const }
  },
)

export const healthRoutes = [health]

/** The query that is under way, for each pool. */
const queries = new WeakMap<Sql, Promise<void>>()

/**
 * Resolves when the database answers. Callers share the query that is under way: whenever its answer comes, the database
 * works at that moment. A query that came too late for one caller is left to those who wait for it, and the next caller
 * sends a new one.
 * @throws Problem 503 when there is no answer in time
 */
function askDatabase(sql: Sql): Promise<void> {
  const query = queries.get(sql) ?? sendQuery(sql)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget(sql, query)
      reject(unavailable('the database does not answer', `no answer to a health check in ${longestWait} ms`))
    }, longestWait)
    query.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function sendQuery(sql: Sql): Promise<void> {
  const query = selectOne(sql).finally(() => forget(sql, query))
  queries.set(sql, query)
  return query
}

async function selectOne(sql: Sql): Promise<void> {
  await sql`select 1`
}

function forget(sql: Sql, query: Promise<void>): void {
  if (queries.get(sql) === query) queries.delete(sql)
}
