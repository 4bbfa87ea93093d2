import { allRows, anyRow, firstRow, onlyRow, rowCount, rowIds } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import type { FinalStatus, Status } from '../run/status.ts'

/** The only writer of tasks, their steps and logs. */

/** A job that was assigned to a runner. */
export interface StoredTask {
  id: number
  job_id: number
  runner_id: number
  /** Whether the runner is ephemeral. */
  is_ephemeral: boolean
  status: Status
  repository_id: number
  /** Current owner of the repository; null while it is being removed. */
  owner_id: number | null
  token_hash: Uint8Array
  /** Number of accepted log lines. */
  log_lines: number
  /** Bytes of the log that are stored. */
  log_bytes: number
  log_sealed: boolean
  /** Whether the server ended it and adds a last line to its log. */
  is_ended_here: boolean
  started_at: string
  updated_at: string
}

const columns = (sql: Sql) => sql`
  task.id, task.job_id, task.runner_id, task.status, task.token_hash, task.log_lines, task.log_bytes,
  task.log_sealed, task.end_note <> '' as is_ended_here, task.started_at, task.updated_at, job.repository_id, repository.owner_id,
  exists (select from forge.action_runner where id = task.runner_id and ephemeral) as is_ephemeral`

interface TaskDraft {
  jobId: number
  runner: { id: number; name: string }
  tokenHash: Buffer
  stepNames: readonly string[]
}

/** Assigns a job that the same transaction has claimed to a runner; returns the id of the task. */
export async function insertTask(
  tx: Tx,
  { jobId, runner, tokenHash, stepNames }: TaskDraft,
): Promise<number> {
  const task = await onlyRow(tx<[{ id: number }]>`
    with task as (
      insert into forge.action_task
        (job_id, runner_id, runner_name, token_hash, status, started_at, created_at, updated_at)
      values
        (${jobId}, ${runner.id}, ${runner.name}, ${tokenHash}, 'in_progress', ${tx.now}, ${tx.now}, ${tx.now})
      returning id
    ), step as (
      insert into forge.action_step (task_id, number, name)
      select task.id, position - 1, left(name, 255)
      from task, unnest(${stepNames}::text[]) with ordinality as input (name, position)
    )
    select id from task`)
  return task.id
}

/** Deletes a task that its runner has never received; returns the id of its job. */
export async function deleteTask(tx: Tx, id: number): Promise<number | undefined> {
  const task = await firstRow(tx<{ job_id: number }[]>`
    delete from forge.action_task
    where id = ${id} and status = 'in_progress' and log_lines = 0
    returning job_id`)
  return task?.job_id
}

export const taskById = (sql: Sql, id: number) => firstRow(sql<StoredTask[]>`${taskOf(sql, id)}`)

/** The task, locked until the transaction ends. */
export const lockTask = (tx: Tx, id: number) =>
  firstRow(tx<StoredTask[]>`
    ${taskOf(tx, id)}
    for update of task`)

const taskOf = (sql: Sql, id: number) => sql`
    select ${columns(sql)}
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    join forge.repository on repository.id = job.repository_id
    where task.id = ${id}`

/** Whether a runner has an open task, and whether it ever had one. */
export const taskStateOfRunner = (sql: Sql, runner: number) =>
  onlyRow(sql<[{ open: boolean; any: boolean }]>`
    select coalesce(bool_or(status in ('in_progress', 'cancelling')), false) as open, count(*) > 0 as any
    from forge.action_task
    where runner_id = ${runner}`)

/** Ids of open tasks, the oldest first. `condition`: on `task` and `job`. */
const openTasks = (sql: Sql, condition: Fragment, limit?: number) =>
  rowIds(sql`
    select task.id
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    where task.status in ('in_progress', 'cancelling') and ${condition}
    order by task.id
    ${limit === undefined ? sql`` : sql`limit ${limit}`}`)

/** Open tasks of runners, except in repositories that are being removed: those are deleted with the repository. */
export const openTasksOfRunners = (sql: Sql, runners: readonly number[]) =>
  openTasks(
    sql,
    sql`
      task.runner_id = any(${[...runners]}::bigint[])
      and exists (select from forge.repository where id = job.repository_id and state = 'ready')`,
  )

/** Open tasks of a repository. */
export const openTasksOfRepository = (sql: Sql, repository: number) =>
  openTasks(sql, sql`job.repository_id = ${repository}`)

/** Open tasks without a report of a runner since a moment. */
export const silentTasks = (sql: Sql, since: Date, limit: number) =>
  openTasks(sql, sql`task.updated_at < ${since}`, limit)

/** Open tasks that started before a moment. */
export const tasksStartedBefore = (sql: Sql, before: Date, limit: number) =>
  openTasks(sql, sql`task.started_at < ${before}`, limit)

/** Open tasks whose `timeout-minutes` ended before a moment. */
export const tasksTimedOutBefore = (sql: Sql, before: Date, limit: number) =>
  openTasks(sql, sql`task.started_at + make_interval(mins => job.timeout_minutes) < ${before}`, limit)

/** A runner's report on a step. Status null: unchanged. */
export interface StepReport {
  number: number
  status: Status | null
  started_at: Date | null
  stopped_at: Date | null
  log_index: number
  log_length: number
}

/** Stores the report on an open task and its steps; returns whether the task is still open. */
export const updateProgress = (sql: Sql, id: number, steps: readonly StepReport[], now: Date) =>
  anyRow(sql`
    with task as (
      update forge.action_task
      set updated_at = ${now}
      where id = ${id} and status in ('in_progress', 'cancelling')
      returning id
    ), changed as (
      update forge.action_step as step
      set status = coalesce(report.status, step.status), log_index = report.log_index, log_length = report.log_length,
        started_at = coalesce(report.started_at, step.started_at),
        stopped_at = coalesce(report.stopped_at, step.stopped_at)
      from task, json_to_recordset(${JSON.stringify(steps)}::text::json) as report (
        number integer, status text, started_at timestamptz, stopped_at timestamptz, log_index bigint, log_length bigint
      )
      where step.task_id = task.id and step.number = report.number
        and (coalesce(report.status, step.status), report.log_index, report.log_length,
          coalesce(report.started_at, step.started_at), coalesce(report.stopped_at, step.stopped_at))
          is distinct from (step.status::text, step.log_index, step.log_length, step.started_at, step.stopped_at)
    )
    select id from task`)

/** Marks a task for cancellation; its runner learns of it in the reply to its next report. */
export async function markTaskCancelling(tx: Tx, id: number): Promise<void> {
  await tx`
    update forge.action_task
    set status = 'cancelling', updated_at = ${tx.now}
    where id = ${id} and status = 'in_progress'`
}

/**
 * Ends a task and those of its steps that have not ended; returns whether the task was still open. `note`: the sentence
 * at the end of its log, or an empty string.
 */
export async function finishTask(
  tx: Tx,
  id: number,
  { status, at, note }: { status: FinalStatus; at: Date; note: string },
): Promise<boolean> {
  const isEnded = await anyRow(tx`
    update forge.action_task
    set status = ${status}, stopped_at = greatest(${at}::timestamptz, started_at), updated_at = ${tx.now},
      end_note = ${note}
    where id = ${id} and status in ('in_progress', 'cancelling')`)
  if (!isEnded) return false
  // A running step gets the status of the task; a step that has not started is skipped, and starts and stops now.
  await tx`
    update forge.action_step
    set status = case when status = 'in_progress' then ${status}
        when status <> 'queued' then status::text
        when ${status} = 'cancelled' then 'cancelled' else 'skipped' end,
      started_at = coalesce(started_at, stopped_at, ${at}::timestamptz),
      stopped_at = coalesce(stopped_at, greatest(${at}::timestamptz, started_at))
    where task_id = ${id}
      and (status in ('queued', 'in_progress') or started_at is null or stopped_at is null)`
  return true
}

/** Lines to append to a log. */
export interface LogPiece {
  taskId: number
  /** Number of the first line: the expected number of lines so far. */
  firstLine: number
  lines: number
  /** The text to store; empty: the lines are only counted. */
  content: string
  /** How much the size of the log grows. */
  bytes: number
  closes: boolean
}

/** Appends lines; false when the log has changed in the meantime. */
export function appendToLog(
  sql: Sql,
  { taskId, firstLine, lines, content, bytes, closes }: LogPiece,
): Promise<boolean> {
  const storedLines = content === '' ? 0 : lines
  return anyRow(sql`
    with task as (
      update forge.action_task
      set log_lines = log_lines + ${lines}, log_bytes = log_bytes + ${bytes},
        log_sealed = log_sealed or ${closes}
      where id = ${taskId} and log_lines = ${firstLine} and not log_sealed
      returning id
    ), piece as (
      insert into forge.action_log (task_id, first_line, lines, content)
      select id, ${firstLine}, ${storedLines}, ${content}
      from task
      where ${storedLines} > 0
    )
    select id from task`)
}

/** Closes a log to further lines. */
export async function closeLog(sql: Sql, id: number): Promise<void> {
  await sql`
    update forge.action_task
    set log_sealed = true
    where id = ${id} and not log_sealed`
}

/** Closes the logs of tasks that ended before a moment. */
export async function closeOldLogs(sql: Sql, before: Date): Promise<void> {
  await sql`
    update forge.action_task
    set log_sealed = true
    where not log_sealed and stopped_at < ${before}`
}

/** Deletes the logs of at most `limit` tasks that ended before a moment; returns how many. */
export const expireLogs = (sql: Sql, before: Date, limit: number) =>
  rowCount(sql`
    with old as (
      select id
      from forge.action_task
      where not log_expired and stopped_at < ${before}
      order by stopped_at, id
      limit ${limit}
      for update skip locked
    ), deleted as (
      delete from forge.action_log
      using old
      where action_log.task_id = old.id
    ), without_summaries as (
      delete from forge.action_summary
      using old
      where action_summary.task_id = old.id
    ), without_annotations as (
      delete from forge.action_annotation
      using old
      where action_annotation.task_id = old.id
    )
    update forge.action_task
    set log_expired = true, log_sealed = true
    from old
    where action_task.id = old.id`)

/** A running task, and whether its runner supports cancellation. */
interface RunningTask {
  id: number
  job_id: number
  cancels: boolean
}

/** Locks the running tasks of jobs. */
export const lockRunningTasks = (tx: Tx, jobs: readonly number[]) =>
  allRows(tx<RunningTask[]>`
    select task.id, task.job_id, coalesce(runner.cancels and runner.deleted_at is null, false) as cancels
    from forge.action_task as task
    left join forge.action_runner as runner on runner.id = task.runner_id
    where task.job_id = any(${[...jobs]}::bigint[]) and task.status = 'in_progress'
    order by task.id
    for update of task`)
