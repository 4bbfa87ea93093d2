import { allRows, anyRow, firstRow, onlyRow, rowCount, rowIds } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { isFinal, type Status } from './status.ts'

/** The only writer of runs and attempts. */

/** A locked run and its newest attempt. */
interface LockedRun {
  id: number
  repository_id: number
  attempt: number
  status: Status
}

/** The run, locked until the transaction ends, so that changes to its jobs happen one after another. */
export const lockRun = (tx: Tx, id: number) =>
  firstRow(tx<LockedRun[]>`
    select id, repository_id, attempt, status
    from forge.action_run
    where id = ${id}
    for update`)

/** The runs of a repository that have not ended, locked until the transaction ends. */
export const lockOpenRuns = (tx: Tx, repository: number) =>
  allRows(tx<Pick<LockedRun, 'id' | 'attempt'>[]>`
    select id, attempt
    from forge.action_run
    where repository_id = ${repository} and stopped_at is null
    order by id
    for update`)

/** Locks the run that a task belongs to until the transaction ends. */
export async function lockRunOfTask(tx: Tx, task: number): Promise<void> {
  await tx`
    select id
    from forge.action_run
    where id = (
      select job.run_id
      from forge.action_task as task
      join forge.action_job as job on job.id = task.job_id
      where task.id = ${task}
    )
    for update`
}

/** Stores the status of an attempt, and that of the run if the attempt is its newest. */
export async function putAttemptStatus(tx: Tx, run: number, attempt: number, status: Status): Promise<void> {
  const starts = status !== 'queued' && status !== 'blocked' && status !== 'requested'
  const stops = isFinal(status)
  await tx`
    with changed as (
      update forge.action_attempt
      set status = ${status}, updated_at = ${tx.now},
        started_at = case when ${starts} then coalesce(started_at, ${tx.now}::timestamptz) else started_at end,
        stopped_at = case when ${stops} then coalesce(stopped_at, ${tx.now}::timestamptz) end
      where run_id = ${run} and number = ${attempt}
      returning status, started_at, stopped_at
    )
    update forge.action_run
    set status = changed.status, updated_at = ${tx.now}, started_at = changed.started_at,
      stopped_at = changed.stopped_at
    from changed
    where action_run.id = ${run} and action_run.attempt = ${attempt}`
}

/** How many runs led to this one, each started by the previous one; undefined: it was deleted. */
export async function chainLength(sql: Sql, run: number): Promise<number | undefined> {
  const row = await firstRow(sql<{ dispatch_depth: number }[]>`
    select dispatch_depth
    from forge.action_run
    where id = ${run}`)
  return row?.dispatch_depth
}

/** Ids for runs that are inserted later: expressions of their workflows may name them. */
export const nextRunIds = (sql: Sql, count: number) =>
  rowIds(sql`
    select nextval(pg_get_serial_sequence('forge.action_run', 'id')) as id
    from generate_series(1, ${count}::int)`)

/** The number of the newest run of a repository; 0 if there was none. */
export async function lastRunNumber(sql: Sql, repository: number): Promise<number> {
  const row = await firstRow(sql<{ last_number: number }[]>`
    select last_number
    from forge.action_run_counter
    where repository_id = ${repository}`)
  return row?.last_number ?? 0
}

/** Claims the next run numbers of a repository; false if another transaction has claimed some since `last` was read. */
export const claimRunNumbers = (tx: Tx, repository: number, last: number, count: number) =>
  anyRow(tx`
    insert into forge.action_run_counter as stored (repository_id, last_number)
    values (${repository}, ${last + count})
    on conflict on constraint action_run_counter_pkey
    do update set last_number = excluded.last_number
    where stored.last_number = ${last}`)

/**
 * Claims the next run numbers of a repository unconditionally; returns the number before them. Unused numbers are not
 * given to other runs.
 */
export async function reserveRunNumbers(sql: Sql, repository: number, count: number): Promise<number> {
  const row = await onlyRow(sql<[{ last_number: number }]>`
    insert into forge.action_run_counter as stored (repository_id, last_number)
    values (${repository}, ${count})
    on conflict on constraint action_run_counter_pkey
    do update set last_number = stored.last_number + ${count}
    returning last_number`)
  return row.last_number - count
}

/** A run to insert. */
interface RunDraft {
  id: number
  repository_id: number
  number: number
  workflow_file: string
  workflow_name: string
  title: string
  actor_id: number | null
  by_bot: boolean
  /** The length of the chain of runs that led to this one, each started by the previous one. */
  dispatch_depth: number
  /** Whether strangers may have written the workflow. */
  is_fork_pr: boolean
  needs_approval: boolean
  event: string
  /** JSON text. */
  payload: string
  /** JSON text: the `inputs` of expressions. */
  inputs: string
  ref: string
  commit_sha: string
  concurrency: { group: string; cancel: boolean } | undefined
}

/** Inserts a run and its first attempt; `advanceRun` sets their status once the jobs exist. */
export async function insertRun(tx: Tx, draft: RunDraft): Promise<void> {
  await tx`
    with run as (
      insert into forge.action_run
        (id, repository_id, number, workflow_file, workflow_name, title, actor_id, by_bot, dispatch_depth, is_fork_pr,
         needs_approval, event, payload, inputs, ref, commit_sha, status, created_at, updated_at)
      overriding system value
      values
        (${draft.id}, ${draft.repository_id}, ${draft.number}, ${draft.workflow_file}, ${draft.workflow_name},
         ${draft.title}, ${draft.actor_id}, ${draft.by_bot}, ${draft.dispatch_depth}, ${draft.is_fork_pr},
         ${draft.needs_approval}, ${draft.event}, ${draft.payload}::text::json, ${draft.inputs}::text::json, ${draft.ref}, ${draft.commit_sha}, 'requested', ${tx.now}, ${tx.now})
      returning id
    )
    insert into forge.action_attempt
      (run_id, number, actor_id, by_bot, concurrency_group, concurrency_cancels, is_held, status, created_at, updated_at)
    select id, 1, ${draft.actor_id}, ${draft.by_bot}, ${draft.concurrency?.group ?? null},
      ${draft.concurrency?.cancel ?? false}, ${draft.concurrency !== undefined || draft.needs_approval}, 'requested', ${tx.now}, ${tx.now}
    from run`
}

/** Inserts the next attempt of a locked run, with the concurrency group of the previous one; returns its number. */
export async function insertAttempt(tx: Tx, run: LockedRun, actor: number): Promise<number> {
  const { number } = await onlyRow(tx<[{ number: number }]>`
    with attempt as (
      insert into forge.action_attempt
        (run_id, number, actor_id, concurrency_group, concurrency_cancels, is_held, status, created_at, updated_at)
      select run_id, attempt.number + 1, ${actor}, concurrency_group, concurrency_cancels,
        concurrency_group is not null or run.needs_approval, 'requested', ${tx.now}, ${tx.now}
      from forge.action_attempt as attempt
      join forge.action_run as run on run.id = run_id
      where run_id = ${run.id} and attempt.number = ${run.attempt}
      returning run_id, number
    )
    update forge.action_run
    set attempt = attempt.number, status = 'requested', started_at = null, stopped_at = null, updated_at = ${tx.now}
    from attempt
    where id = run_id
    returning attempt.number`)
  return number
}

/** Deletes a run and everything that belongs to it. */
export async function deleteRun(tx: Tx, id: number): Promise<void> {
  await tx`
    delete from forge.action_run
    where id = ${id}`
}

/** The concurrency group of an attempt. */
interface AttemptGroup {
  concurrency_group: string | null
  concurrency_cancels: boolean
  /** Whether it still waits for the group or for an approval. */
  is_held: boolean
  needs_approval: boolean
}

export const attemptGroup = (sql: Sql, run: number, attempt: number) =>
  firstRow(sql<AttemptGroup[]>`
    select concurrency_group, concurrency_cancels, is_held, needs_approval
    from forge.action_attempt as attempt
    join forge.action_run as run on run.id = run_id
    where run_id = ${run} and attempt.number = ${attempt}`)

/** Lets a run start that waits for an approval; false: it waits for none. */
export const approveRun = (tx: Tx, run: number, approver: number) =>
  anyRow(tx`
    update forge.action_run
    set needs_approval = false, approved_by = ${approver}, updated_at = ${tx.now}
    where id = ${run} and needs_approval`)

/** Ends the wait of an attempt for its group or for an approval. */
export async function releaseAttempt(tx: Tx, run: number, attempt: number): Promise<void> {
  await tx`
    update forge.action_attempt
    set is_held = false, updated_at = ${tx.now}
    where run_id = ${run} and number = ${attempt}`
}

/** Deletes at most `limit` runs that ended before a moment, with everything that belongs to them; returns how many. */
export const deleteRunsBefore = (sql: Sql, before: Date, limit: number) =>
  rowCount(sql`
    delete from forge.action_run
    where id in (
      select id
      from forge.action_run
      where stopped_at < ${before}
      order by stopped_at, id
      limit ${limit}
    )`)
