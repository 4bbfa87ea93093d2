import type { Sql } from '../db/sql.ts'
import { unavailable } from '../http/route/problem.ts'
import { json } from '../http/route/sends.ts'
import { anyone, route } from './route.ts'
import { Health } from './site.shape.ts'

/**
 * Maximum wait for the database, in milliseconds. It is much shorter than for other requests, because the probe of a
 * load balancer gives up after a few seconds.
 */
const maxWait = 2_000

/** Answers 200 only if the database answers, since the server cannot serve requests without it. */
export const getHealth = route('GET /api/health', {
  summary: 'Whether the server can serve requests',
  access: anyone,
  returns: json(200, Health),
  handler: async ({ sql }) => {
    await askDatabase(sql)
    return { ok: true as const }
  },
})

/** The query in progress, for each pool. */
const queries = new WeakMap<Sql, Promise<void>>()

/**
 * Resolves when the database answers. Callers share the query in progress: its answer proves that the database works,
 * whenever the query was sent. If it is too late for one caller, the others still wait for it, and the next caller sends
 * a new one.
 * @throws Problem 503 when there is no answer in time
 */
export function askDatabase(sql: Sql): Promise<void> {
  const query = queries.get(sql) ?? sendQuery(sql)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget(sql, query)
      reject(unavailable('the database does not answer', `no answer to a health check in ${maxWait} ms`))
    }, maxWait)
    void query.then(resolve, reject).finally(() => clearTimeout(timer))
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
