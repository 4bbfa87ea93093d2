import { allRows, anyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** How a run ended; `interrupted`: the server stopped, or another process took over the task. */
export type CronOutcome = 'succeeded' | 'failed' | 'interrupted'

/** The state of a task. Times are texts as the pool reads them. */
export interface CronRow {
  name: string
  next_at: string | null
  /** The last start. */
  prev_at: string | null
  exec_times: number
  is_running: boolean
  /** End of the last finished run. */
  finished_at: string | null
  outcome: CronOutcome | null
  message: string
  duration_ms: number | null
}

/** A claim on a task: the mark of its holder (a UUID), and when it expires without a heartbeat. */
export interface Claim {
  name: string
  mark: string
  now: Date
  until: Date
}

/** A task as the program defines it. `next` is null if it has no schedule. */
export interface CronEntry {
  name: string
  schedule: string
  next: Date | null
}

/** Inserts rows of tasks; where the schedule has changed, it sets the next time again. */
export async function registerTasks(sql: Sql, tasks: readonly CronEntry[]): Promise<void> {
  await sql`
    insert into forge.cron_task as stored (name, schedule, next_at)
    select name, schedule, next_at
    from unnest(
      ${tasks.map(({ name }) => name)}::text[],
      ${tasks.map(({ schedule }) => schedule)}::text[],
      ${tasks.map(({ next }) => next?.toISOString() ?? null)}::timestamptz[]
    ) as entry (name, schedule, next_at)
    order by name
    on conflict on constraint cron_task_pkey
    do update set schedule = excluded.schedule, next_at = excluded.next_at
    where stored.schedule <> excluded.schedule`
}

/** Makes scheduled tasks due now, unless they were started after `since`. */
export async function hastenTasks(sql: Sql, names: readonly string[], now: Date, since: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set next_at = ${now}
    where name = any(${[...names]}::text[])
      and next_at > ${now}
      and (prev_at is null or prev_at < ${since})`
}

/** Makes tasks due no later than at their next time; claims end no later than at `until`. */
export async function bringTasksForward(sql: Sql, tasks: readonly CronEntry[], until: Date): Promise<void> {
  await sql`
    update forge.cron_task as stored
    set next_at = least(stored.next_at, entry.next_at),
      held_until = case when stored.claim is not null then least(stored.held_until, ${until}::timestamptz) end
    from unnest(
      ${tasks.map(({ name }) => name)}::text[],
      ${tasks.map(({ next }) => next?.toISOString() ?? null)}::timestamptz[]
    ) as entry (name, next_at)
    where stored.name = entry.name and (stored.next_at > entry.next_at or stored.held_until > ${until})`
}

/** When tasks with these names are due, the earliest first; tasks without a schedule are left out. */
export const dueTimes = (sql: Sql, names: readonly string[]) =>
  allRows(sql<{ name: string; next_at: string }[]>`
    select name, next_at
    from forge.cron_task
    where name = any(${[...names]}::text[]) and next_at is not null
    order by next_at, name`)

/** Claims a due task and sets its next time, unless another process holds it. Returns whether it was claimed. */
export const claimDue = (sql: Sql, claim: Claim, next: Date) =>
  anyRow(sql`
    update forge.cron_task
    set next_at = ${next}, prev_at = ${claim.now}, exec_times = exec_times + 1, claim = ${claim.mark},
      held_until = ${claim.until}
    where name = ${claim.name} and next_at <= ${claim.now} and (claim is null or held_until < ${claim.now})`)

/** Skips a scheduled time at which the task was running. */
export async function skipTurn(sql: Sql, name: string, now: Date, next: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set next_at = ${next}
    where name = ${name} and next_at <= ${now}`
}

/** Claims a task, due or not, unless another process holds it. Returns whether it was claimed. */
export const claimNow = (sql: Sql, claim: Claim, { name, schedule, next }: CronEntry) =>
  anyRow(sql`
    insert into forge.cron_task as stored (name, schedule, next_at, prev_at, exec_times, claim, held_until)
    values (${name}, ${schedule}, ${next}, ${claim.now}, 1, ${claim.mark}, ${claim.until})
    on conflict on constraint cron_task_pkey
    do update set prev_at = excluded.prev_at, exec_times = stored.exec_times + 1, claim = excluded.claim,
      held_until = excluded.held_until
    where stored.claim is null or stored.held_until < ${claim.now}`)

/** Extends the claim (heartbeat). False: another process has taken over the task. */
export const extendClaim = (sql: Sql, { name, mark }: Claim, until: Date) =>
  anyRow(sql`
    update forge.cron_task
    set held_until = ${until}
    where name = ${name} and claim = ${mark}`)

/** Releases a task, if this process still holds it, and records the result of the run. */
export async function finishTask(
  sql: Sql,
  { name, mark }: Claim,
  end: { at: Date; outcome: CronOutcome; message: string; milliseconds: number },
): Promise<void> {
  await sql`
    update forge.cron_task
    set claim = null, held_until = null, finished_at = ${end.at}, outcome = ${end.outcome}, message = ${end.message},
      duration_ms = ${end.milliseconds}
    where name = ${name} and claim = ${mark}`
}

/**
 * Releases the tasks that a previous process held; called when the only process on a database starts. `until`: tasks
 * held for longer than that were claimed by this process meanwhile.
 */
export async function releaseTasks(sql: Sql, now: Date, until: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set claim = null, held_until = null, finished_at = ${now}, outcome = 'interrupted', message = '', duration_ms = 0
    where claim is not null and held_until <= ${until}`
}

/** The state of tasks with these names; tasks that were never registered are left out. */
export const tasksByName = (sql: Sql, names: readonly string[], now: Date) =>
  allRows(sql<CronRow[]>`
    select name, next_at, prev_at, exec_times, claim is not null and held_until >= ${now} as is_running, finished_at,
      outcome, message, duration_ms
    from forge.cron_task
    where name = any(${[...names]}::text[])`)
