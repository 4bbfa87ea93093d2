import type { Begin, Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'

/** What a run of a task gets. */
export interface CronRun {
  sql: Sql
  begin: Begin
  /** Start time. */
  now: Date
  log: Log
  /** Fires when the server stops: the task should then end at a point from which it can continue later. */
  signal: AbortSignal
}

/** A recurring task. If several processes share a database, each run takes place in one of them. */
export interface CronTask {
  /** Permanent identifier for administrators and in the database. */
  name: string
  /** What it does, in one sentence with a full stop: for the page of tasks, and the start of its row in `docs/reference.md`. */
  summary: string
  /** `@every 72h`, `@midnight`, or five cron fields; in UTC. */
  schedule: string
  /** Whether it is scheduled unless the configuration says otherwise; true by default. */
  enabled?: boolean
  /** Whether it also runs when the server starts, if it is scheduled. */
  runAtStart?: boolean
  /** Returns one sentence on what was done, or undefined if there was nothing to do. A thrown error is a failed run. */
  run: (run: CronRun) => Promise<string | undefined>
}

/** Calls `remove` with a batch size until it removes fewer rows than that; returns the total. */
export async function removeAll(
  { signal }: Pick<CronRun, 'signal'>,
  remove: (limit: number) => Promise<number>,
  batch = 1000,
): Promise<number> {
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const removed = await remove(batch)
    total += removed
    if (removed < batch) return total
  }
}
