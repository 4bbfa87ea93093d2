import postgres from 'postgres'
import { insertEvents, notifyProcesses } from './outbox-events.ts'
import type { Begin, EventDraft, Pool, Tx } from './sql.ts'

/** SQLSTATEs after which the same work may succeed: serialization failure and deadlock. */
const retriable = new Set(['40001', '40P01'])
const attempts = 5

/** Whether the database gave a transaction up for the sake of others; it is worth the same attempt once more. */
export const isRetryable = (error: unknown) =>
  error instanceof postgres.PostgresError && retriable.has(error.code)

/** Runs a transaction again that was given up. */
export async function retrySerialization<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isRetryable(error) || attempt === attempts) throw error
    }
  }
}

/**
 * `begin` on this pool. Each attempt is a transaction of its own, with one `now` for all it writes. `emitted` is called
 * after a commit that wrote events or asked for it: the drain of this process need not wait to be notified by the database.
 */
export function beginOn(pool: Pool, clock: () => Date, emitted: () => void = () => {}): Begin {
  return <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    retrySerialization(() => once(pool, clock(), emitted, work))
}

async function once<Result>(
  pool: Pool,
  now: Date,
  emitted: () => void,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const after: (() => void)[] = []
  // postgres.js flattens arrays of promises in what the callback gives back; holding it aside keeps its type.
  const held = await pool.begin(async (sql) => {
    const wakeHere = () => {
      if (!after.includes(emitted)) after.push(emitted)
    }
    const emitAll = async (events: readonly EventDraft[]) => {
      if (events.length === 0) return
      await insertEvents(sql, events, now)
      wakeHere()
    }
    const tx: Tx = Object.assign(sql, {
      now,
      emit: (kind: string, payload: object) => emitAll([{ kind, payload }]),
      emitAll,
      wake: async () => {
        await notifyProcesses(sql)
        wakeHere()
      },
      afterCommit: (fn: () => void) => {
        after.push(fn)
      },
    })
    return { result: await work(tx) }
  })
  for (const fn of after) callQuietly(fn)
  return held.result
}

/** The commit has happened: a failure after it must not look like one of the work. */
function callQuietly(fn: () => void): void {
  try {
    fn()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
