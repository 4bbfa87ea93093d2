import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { asError } from '../common/errors.ts'
import type { Fields, Log } from '../log.ts'
import { insertEvents, notifyProcesses } from './outbox-events.ts'
import type { Begin, EventDraft, Pool, Sql, Transaction, Tx } from './sql.ts'

/** SQLSTATEs of errors after which a retry may succeed: serialization failure and deadlock. */
const retriable = new Set(['40001', '40P01'])
const maxAttempts = 5

/** Longest wait before the second attempt, in milliseconds; it doubles for each further one. */
const firstWait = 10

/** Whether the database aborted a transaction because of a concurrent one; the same work may be retried. */
export const isRetryable = (error: unknown) =>
  error instanceof postgres.PostgresError && retriable.has(error.code)

/**
 * Runs a transaction, and retries it after serialization failures and deadlocks. Each retry waits for a random time, so
 * that two transactions that have met do not meet again.
 */
export async function retrySerialization<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isRetryable(error) || attempt === maxAttempts) throw error
      await pause(Math.random() * firstWait * 2 ** attempt)
    }
  }
}

/** Options of `beginOn`. */
interface BeginOptions {
  /**
   * Called after a commit that wrote events or called `wake`: the worker of this process need not wait for the
   * database's notification.
   */
  onEmitted?: (() => void) | undefined
  /** The log of this process; absent: it has none. */
  log?: Pick<Log, 'info'>
  /** Whether `application_name` names the request while a transaction of it is open. */
  namesRequests?: boolean
}

/** `begin` on this pool. Each attempt is a separate transaction, with one `now` for everything it writes. */
export function beginOn(pool: Pool, clock: () => Date, options: BeginOptions = {}): Begin {
  return (work, requestId) => retrySerialization(() => once(pool, { now: clock(), requestId }, options, work))
}

/** `begin` whose transactions have the id of this request, instead of that for which `other` was made; null: of none. */
export function beginFor(id: string | null, other: Begin): Begin {
  const begin = other.request?.begin ?? other
  if (id === null) return begin
  const ofRequest: Begin = (work) => begin(work, id)
  return Object.assign(ofRequest, { request: { id, begin } })
}

async function once<Result>(
  pool: Pool,
  { now, requestId }: Pick<Tx, 'now' | 'requestId'>,
  { onEmitted = () => {}, namesRequests = false, log }: BeginOptions,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const callbacks: (() => void)[] = []
  // postgres.js flattens an array of promises returned by the callback; wrapping the result in an object avoids that.
  const outcome = await pool.begin(async (sql) => {
    if (namesRequests && requestId !== undefined) nameRequest(sql, requestId)
    const notifyOnCommit = () => {
      if (!callbacks.includes(onEmitted)) callbacks.push(onEmitted)
    }
    const emitAll = async (events: readonly EventDraft[]) => {
      if (events.length === 0) return
      await insertEvents(sql, events, { now, requestId })
      notifyOnCommit()
    }
    const additions = {
      now,
      requestId,
      emitAll,
      wake: async () => {
        await notifyProcesses(sql)
        notifyOnCommit()
      },
      afterCommit: (fn: () => void) => {
        callbacks.push(fn)
      },
    }
    return { result: await work(withNested(sql, additions, log)) }
  })
  for (const fn of callbacks) callQuietly(fn)
  return outcome.result
}

/** Maximum bytes of `application_name` in PostgreSQL. */
const maxName = 63

/**
 * Names the request in `pg_stat_activity` and in the log of the server until the transaction ends. Not awaited: the
 * statement is sent together with the first one of the transaction, and postgres.js makes the transaction fail if it
 * fails. A request id contains no quotation mark.
 */
function nameRequest(sql: Transaction, requestId: string): void {
  const name = `forgehall ${requestId}`.slice(0, maxName)
  void sql.unsafe(`set local application_name = '${name}'`).execute()
}

/** The transaction with `additions`. Nested work has a savepoint, and its callbacks run only if it succeeds. */
function withNested(
  sql: Transaction,
  additions: Omit<Tx, keyof Sql | 'nested' | 'report'>,
  log: BeginOptions['log'],
): Tx {
  const nested: Begin = async (work) => {
    const callbacks: (() => void)[] = []
    const afterCommit = (fn: () => void) => void callbacks.push(fn)
    const outcome = await sql.savepoint(async (point) => ({
      result: await work(withNested(point, { ...additions, afterCommit }, log)),
    }))
    for (const fn of callbacks) additions.afterCommit(fn)
    return outcome.result
  }
  const report = (message: string, fields: Fields) => additions.afterCommit(() => log?.info(message, fields))
  return Object.assign(sql, { ...additions, nested, report })
}

/** Calls a function after the commit: its failure must not look like a failure of the transaction. */
function callQuietly(fn: () => void): void {
  try {
    fn()
  } catch (error) {
    process.emitWarning(asError(error))
  }
}
