import type { Begin, Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'

/** What a run of a task may use. */
export interface CronRun {
  sql: Sql
  begin: Begin
  /** When it was started. */
  now: Date
  log: Log
  /** Fires when the server stops: then a task is to end where it can be taken up again. */
  signal: AbortSignal
}

/** Something that is done again and again. Several processes know it; each time one of them does it. */
export interface CronTask {
  /** Under this name it is known to administrators and in the database, for ever. */
  name: string
  /** `@every 72h`, `@midnight`, five fields; in UTC. */
  schedule: string
  /** Whether it runs by itself where the configuration says nothing; yes unless told. */
  enabled?: boolean
  /** Whether it also runs when the server starts, if it runs by itself. */
  runAtStart?: boolean
  /** Gives one sentence on what was done, or undefined when there was nothing to do. What it throws is its failure. */
  run: (run: CronRun) => Promise<string | undefined>
}

/** Calls `remove` with a number of rows, `batch`, until it finds fewer, and gives how many there were in all. */
export async function removeAll(
  { signal }: Pick<CronRun, 'signal'>,
  remove: (limit: number) => Promise<number>,
  batch = 1000,
): Promise<number> {
  let all = 0
  for (;;) {
    signal.throwIfAborted()
    const removed = await remove(batch)
    all += removed
    if (removed < batch) return all
  }
}
