import type { Sql } from '../../db/sql.ts'

/** How a run came to its end; `interrupted`: the server stopped, or the task went to another process. */
export type CronOutcome = 'succeeded' | 'failed' | 'interrupted'

/** What is known of a task. Moments are texts as the pool reads them. */
export interface CronRow {
  name: string
  next_at: string | null
  /** The last start. */
  prev_at: string | null
  exec_times: number
  is_running: boolean
  /** Of the last run that came to an end. */
  finished_at: string | null
  outcome: CronOutcome | null
  message: string
  duration_ms: number | null
}

/** Who holds a task, under a mark of its own (a UUID), and until when without a sign of life. */
export interface Hold {
  name: string
  claim: string
  now: Date
  until: Date
}

/** A task as the program comes with it. Not due where it does not run by itself. */
export interface CronEntry {
  name: string
  schedule: string
  next: Date | null
}

/** Makes rows of tasks; of those whose schedule has changed it says anew when they are due. */
export async function registerTasks(sql: Sql, tasks: readonly CronEntry[]): Promise<void> {
  await sql`
    insert into forge.cron_task as known (name, schedule, next_at)
    select name, schedule, next_at
    from unnest(
      ${tasks.map(({ name }) => name)}::text[],
      ${tasks.map(({ schedule }) => schedule)}::text[],
      ${tasks.map(({ next }) => next?.toISOString() ?? null)}::timestamptz[]
    ) as come (name, schedule, next_at)
    order by name
    on conflict on constraint cron_task_pkey
    do update set schedule = excluded.schedule, next_at = excluded.next_at
    where known.schedule <> excluded.schedule`
}

/** Makes tasks due now that run by themselves and were not started since a moment. */
export async function hastenTasks(sql: Sql, names: readonly string[], now: Date, since: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set next_at = ${now}
    where name = any(${[...names]}::text[])
      and next_at > ${now}
      and (prev_at is null or prev_at < ${since})`
}

/** When tasks of these names are due, the first one first; those that do not run by themselves are missing. */
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

/** Takes a task that is due, unless somebody holds it; says when it is due next. Gives whether it was taken. */
export async function takeDue(sql: Sql, hold: Hold, next: Date): Promise<boolean> {
  const taken = await sql`
    update forge.cron_task
    set next_at = ${next}, prev_at = ${hold.now}, exec_times = exec_times + 1, claim = ${hold.claim},
      held_until = ${hold.until}
    where name = ${hold.name} and next_at <= ${hold.now} and (claim is null or held_until < ${hold.now})`
  return taken.count > 0
}

/** Passes over a turn that came while the task was running. */
export async function skipTurn(sql: Sql, name: string, now: Date, next: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set next_at = ${next}
    where name = ${name} and next_at <= ${now}`
}

/** Takes a task whether or not it is due, unless somebody holds it. Gives whether it was taken. */
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

/** A sign of life. False: the task is no longer ours. */
export async function keepHold(sql: Sql, { name, claim }: Hold, until: Date): Promise<boolean> {
  const kept = await sql`
    update forge.cron_task
    set held_until = ${until}
    where name = ${name} and claim = ${claim}`
  return kept.count > 0
}

/** Lets go of a task that is still ours, and says what became of the run. */
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
 * Lets go of what a process held that is no more: for the start of the only process on a database. `until`: what is held
 * for longer was taken by this one meanwhile.
 */
export async function releaseTasks(sql: Sql, now: Date, until: Date): Promise<void> {
  await sql`
    update forge.cron_task
    set claim = null, held_until = null, finished_at = ${now}, outcome = 'interrupted', message = '', duration_ms = 0
    where claim is not null and held_until <= ${until}`
}

/** What is known of tasks of these names; those that have never been heard of are missing. */
export async function tasksByName(sql: Sql, names: readonly string[], now: Date): Promise<CronRow[]> {
  return await sql<CronRow[]>`
    select name, next_at, prev_at, exec_times, claim is not null and held_until >= ${now} as is_running, finished_at,
      outcome, message, duration_ms
    from forge.cron_task
    where name = any(${[...names]}::text[])`
}
