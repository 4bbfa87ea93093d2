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
export interface Hold {
  name: string
  claim: string
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
    insert into forge.cron_task as known (name, schedule, next_at)
    select name, schedule, next_at
    from unnest(
      ${tasks.map(({ name }) => name)}::text[],
      ${tasks.map(({ schedule }) => schedule)}::text[],
      ${tasks.map(({ next }) => next?.toISOString() ?? null)}::timestamptz[]
    ) as entry (name, schedule, next_at)
    order by name
    on conflict on constraint cron_task_pkey
    do update set schedule = excluded.schedule, next_at = excluded.next_at
    where known.schedule <> excluded.schedule`
}

/** Makes scheduled tasks due now, unless they were started since a given time. */
export async function hastenTasks(sql: Sql, names: readonly string[], now: Date, since: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set next_at = ${now}
    where name = any(${[...names]}::text[])
      and next_at > ${now}
      and (prev_at is null or prev_at < ${since})`
}

/** Makes tasks due at their next time at the latest; claims end at `until` at the latest. */
export async function bringTasksForward(sql: Sql, tasks: readonly CronEntry[], until: Date): Promise<void> {
  await sql`
    update forge.cron_task as known
    set next_at = least(known.next_at, entry.next_at),
      held_until = case when known.claim is not null then least(known.held_until, ${until}::timestamptz) end
    from unnest(
      ${tasks.map(({ name }) => name)}::text[],
      ${tasks.map(({ next }) => next?.toISOString() ?? null)}::timestamptz[]
    ) as entry (name, next_at)
    where known.name = entry.name and (known.next_at > entry.next_at or known.held_until > ${until})`
}

/** When tasks with these names are due, the earliest first; tasks without a schedule are left out. */
export async function dueTimes(
  sql: Sql,
  names: readonly string[],
): Promise<{ name: string; next_at: string }[]> {
  return await sql<{ name: string; next_at: string }[]>`
    select name, next_at
    from forge.cron_task
    where name = any(${[...names]}::text[]) and next_at is not null
    order by next_at, name`
}

/** Claims a due task and sets its next time, unless another process holds it. Returns whether it was claimed. */
export async function takeDue(sql: Sql, hold: Hold, next: Date): Promise<boolean> {
  const taken = await sql`
    update forge.cron_task
    set next_at = ${next}, prev_at = ${hold.now}, exec_times = exec_times + 1, claim = ${hold.claim},
      held_until = ${hold.until}
    where name = ${hold.name} and next_at <= ${hold.now} and (claim is null or held_until < ${hold.now})`
  return taken.count > 0
}

/** Skips a scheduled time that came while the task was running. */
export async function skipTurn(sql: Sql, name: string, now: Date, next: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set next_at = ${next}
    where name = ${name} and next_at <= ${now}`
}

/** Claims a task, due or not, unless another process holds it. Returns whether it was claimed. */
export async function takeNow(sql: Sql, hold: Hold, { name, schedule, next }: CronEntry): Promise<boolean> {
  const taken = await sql`
    insert into forge.cron_task as known (name, schedule, next_at, prev_at, exec_times, claim, held_until)
    values (${name}, ${schedule}, ${next}, ${hold.now}, 1, ${hold.claim}, ${hold.until})
    on conflict on constraint cron_task_pkey
    do update set prev_at = excluded.prev_at, exec_times = known.exec_times + 1, claim = excluded.claim,
      held_until = excluded.held_until
    where known.claim is null or known.held_until < ${hold.now}`
  return taken.count > 0
}

/** Extends the claim (heartbeat). False: another process has taken over the task. */
export async function keepHold(sql: Sql, { name, claim }: Hold, until: Date): Promise<boolean> {
  const updated = await sql`
    update forge.cron_task
    set held_until = ${until}
    where name = ${name} and claim = ${claim}`
  return updated.count > 0
}

/** Releases a task, if this process still holds it, and records the result of the run. */
export async function finishTask(
  sql: Sql,
  { name, claim }: Hold,
  end: { at: Date; outcome: CronOutcome; message: string; milliseconds: number },
): Promise<void> {
  await sql`
    update forge.cron_task
    set claim = null, held_until = null, finished_at = ${end.at}, outcome = ${end.outcome}, message = ${end.message},
      duration_ms = ${end.milliseconds}
    where name = ${name} and claim = ${claim}`
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
export async function tasksByName(sql: Sql, names: readonly string[], now: Date): Promise<CronRow[]> {
  return await sql<CronRow[]>`
    select name, next_at, prev_at, exec_times, claim is not null and held_until >= ${now} as is_running, finished_at,
      outcome, message, duration_ms
    from forge.cron_task
    where name = any(${[...names]}::text[])`
}
