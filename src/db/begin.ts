import postgres from 'postgres'
import type { Begin, Pool, Tx } from './sql.ts'

/** SQLSTATEs after which the same work may succeed: serialization failure and deadlock. */
const retriable = new Set(['40001', '40P01'])
const attempts = 5

/** `begin` on this pool. Each attempt is a transaction of its own, with one `now` for all it writes. */
export function beginOn(pool: Pool, clock: () => Date): Begin {
  return async function begin<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(pool, clock(), work)
      } catch (error) {
        const again = error instanceof postgres.PostgresError && retriable.has(error.code)
        if (!again || attempt === attempts) throw error
      }
    }
  }
}

/** postgres.js flattens arrays of promises in what the callback gives back; holding it aside keeps its type. */
async function once<Result>(pool: Pool, now: Date, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const held = await pool.begin(async (sql) => ({ result: await work(Object.assign(sql, { now })) }))
  return held.result
}
