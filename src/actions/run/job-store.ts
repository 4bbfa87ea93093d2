import { allRows, anyRow, firstRow, rowCount, rowIds } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { claimableBy, type Offer } from '../runner/queue-store.ts'
import type { Json } from '../workflow/values.ts'
import type { FinalStatus, JobOutcome, Status } from './status.ts'

/**
 * The only writer of jobs. A transaction that ends a task locks its run first, then task and job; one that assigns or
 * releases a job locks task, job, run. A deadlock between the two orders aborts one transaction, which then starts
 * again (db/begin.ts).
 */

/** A job that was just assigned to a runner. */
export interface ClaimedJob {
  id: number
  run_id: number
  attempt: number
  repository_id: number
  step_names: string[]
}

/**
 * Claims the oldest job with these labels (`forge.labels_key`) for a runner; concurrent calls claim different jobs. The
 * repository keeps its owner until the transaction ends; jobs of a repository that another transaction is changing are
 * skipped.
 */
export const claimJob = (tx: Tx, offer: Offer, labelsKey: string) =>
  firstRow(tx<ClaimedJob[]>`
    update forge.action_job
    set status = 'in_progress', started_at = ${tx.now}, updated_at = ${tx.now}
    where id = (
      select job.id
      from forge.action_job as job
      join forge.repository on repository.id = job.repository_id
      where job.status = 'queued' and forge.labels_key(job.runs_on) = ${labelsKey} and ${claimableBy(tx, offer)}
      order by job.updated_at, job.id
      limit 1
      for update of job skip locked
      for share of repository skip locked
    )
    returning id, run_id, attempt, repository_id, step_names`)

/** Returns a job that no runner has received to the end of the queue, in case the job itself is the cause. */
export const releaseJob = (tx: Tx, id: number) =>
  firstRow(tx<Pick<ClaimedJob, 'run_id' | 'attempt'>[]>`
    update forge.action_job
    set status = 'queued', started_at = null, updated_at = ${tx.now}
    where id = ${id} and status = 'in_progress'
    returning run_id, attempt`)

/** The members of a job that ending it requires. */
export interface LockedJob {
  id: number
  run_id: number
  attempt: number
  repository_id: number
  status: Status
}

/** The job, locked until the transaction ends. */
export const lockJob = (tx: Tx, id: number) =>
  firstRow(tx<LockedJob[]>`
    select id, run_id, attempt, repository_id, status
    from forge.action_job
    where id = ${id}
    for update`)

/** Ids of the jobs of a repository that have not ended. */
export const openJobsOfRepository = (sql: Sql, repository: number) =>
  rowIds(sql`
    select id
    from forge.action_job
    where repository_id = ${repository}
      and status in ('requested', 'blocked', 'queued', 'in_progress', 'cancelling')
    order by id`)

/** Marks a job as being cancelled by its runner. */
export async function markCancelling(tx: Tx, id: number): Promise<void> {
  await tx`
    update forge.action_job
    set status = 'cancelling', updated_at = ${tx.now}
    where id = ${id} and status = 'in_progress'`
}

/** Ends a job; returns false when it had ended already. `at`: when it stopped. */
export const finishJob = (tx: Tx, id: number, status: FinalStatus, at: Date) =>
  anyRow(tx`
    update forge.action_job
    set status = ${status}, stopped_at = greatest(${at}::timestamptz, started_at), updated_at = ${tx.now}
    where id = ${id} and stopped_at is null`)

/** A job to insert. */
export interface JobDraft {
  name: string
  key: string
  needs: readonly string[]
  runs_on: readonly string[]
  /** YAML; null if no runner may receive it. */
  payload: string | null
  step_names: readonly string[]
  condition: string
  /** JSON text; null: none. */
  matrix: string | null
  continue_on_error: boolean
  /** Null: none that the server can evaluate. */
  timeout_minutes: number | null
  fails_fast: boolean
  /** Null: no bound. */
  max_parallel: number | null
  /** A group that is evaluated later, as JSON text; null: none. */
  concurrency_source: string | null
  concurrency_group: string | null
  concurrency_cancels: boolean
  /** JSON text; null: not specified by the workflow. */
  permissions: string | null
  message: string
  status: Extract<Status, 'requested' | 'blocked' | 'queued' | 'failure'>
}

/** Inserts the jobs of an attempt in their order, in one statement. */
export async function insertJobs(
  tx: Tx,
  attempt: { run: number; attempt: number; repository: number },
  jobs: readonly JobDraft[],
): Promise<void> {
  const rows = jobs.map((job, at) => ({ ...job, number: at + 1 }))
  await tx`
    insert into forge.action_job
      (run_id, attempt, number, repository_id, name, key, needs, runs_on, payload, step_names, condition, matrix,
       continue_on_error, timeout_minutes, fails_fast, max_parallel, concurrency_source, concurrency_group,
       concurrency_cancels, permissions, message, status, started_at, stopped_at, created_at, updated_at)
    select ${attempt.run}, ${attempt.attempt}, number, ${attempt.repository}, name, key, needs, runs_on,
      convert_to(payload, 'UTF8'), step_names, condition, matrix::json, continue_on_error, timeout_minutes,
      fails_fast, max_parallel, concurrency_source, concurrency_group, concurrency_cancels, permissions::json, message, status,
      case when status = 'failure' then ${tx.now}::timestamptz end,
      case when status = 'failure' then ${tx.now}::timestamptz end, ${tx.now}, ${tx.now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
      number integer, name text, key text, needs text[], runs_on text[], payload text, step_names text[], condition text, matrix text,
      continue_on_error boolean, timeout_minutes integer, fails_fast boolean, max_parallel integer,
      concurrency_source text, concurrency_group text, concurrency_cancels boolean, permissions text, message text, status text
    )
    order by number`
}

/** A job with everything that advancing its run needs. */
export interface AttemptJob extends JobOutcome {
  id: number
  needs: string[]
  condition: string
  /** JSON; null: none. */
  matrix: Json
  /** How many jobs of its key may be active at a time; null: all. */
  max_parallel: number | null
  /** Copied from an earlier attempt; it does not run again. */
  is_copy: boolean
  concurrency_source: string | null
  concurrency_group: string | null
  concurrency_cancels: boolean
  /** The new message, if it changes. */
  message?: string
}

/** All jobs of an attempt in their order. */
export const jobsOfAttempt = (sql: Sql, run: number, attempt: number) =>
  allRows(sql<AttemptJob[]>`
    select id, key, status, needs, condition, matrix, continue_on_error, fails_fast, max_parallel,
      source_job_id is not null as is_copy, concurrency_source, concurrency_group, concurrency_cancels
    from forge.action_job
    where run_id = ${run} and attempt = ${attempt}
    order by number`)

/** Locks those of these jobs that no runner has; skips jobs that another transaction has locked. */
export const lockIdleJobs = (tx: Tx, ids: readonly number[]) =>
  rowIds(tx`
    select id
    from forge.action_job
    where id = any(${[...ids]}::bigint[]) and status in ('requested', 'blocked', 'queued')
    order by id
    for update skip locked`)

/** The new state of a job that no runner has; absent members stay unchanged. */
type JobTransition = Pick<AttemptJob, 'id' | 'status' | 'message'> &
  Partial<Pick<AttemptJob, 'concurrency_group' | 'concurrency_cancels'>>

/** Changes the state of jobs that no runner has; other jobs stay unchanged. Returns how many it changed. */
export async function transitionJobs(tx: Tx, transitions: readonly JobTransition[]): Promise<number> {
  if (transitions.length === 0) return 0
  const rows = transitions.map(
    ({ id, status, message, concurrency_group: group, concurrency_cancels: cancels }) => {
      return { id, status, message, group, cancels }
    },
  )
  return rowCount(tx`
    update forge.action_job as job
    set status = move.status, message = coalesce(move.message, job.message),
      concurrency_group = coalesce(move."group", job.concurrency_group),
      concurrency_cancels = coalesce(move.cancels, job.concurrency_cancels),
      stopped_at = case when move.status in ('success', 'failure', 'cancelled', 'skipped')
        then ${tx.now}::timestamptz end,
      updated_at = ${tx.now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as move (id bigint, status text, message text, "group" text, cancels boolean)
    where job.id = move.id and job.status in ('requested', 'blocked', 'queued')`)
}

/** Cancels those of these jobs that no runner has; returns how many. */
export const cancelIdleJobs = (tx: Tx, ids: readonly number[]) =>
  transitionJobs(
    tx,
    ids.map((id) => ({ id, status: 'cancelled' })),
  )

/** Ids of jobs that have waited without a change since a moment; the oldest first. */
export const abandonedJobs = (sql: Sql, since: Date, limit: number) =>
  rowIds(sql`
    select id
    from forge.action_job
    where status in ('queued', 'blocked') and updated_at < ${since}
    order by updated_at, id
    limit ${limit}`)

/**
 * Inserts the jobs of a further attempt. The jobs in `rerunIds` run again; the others keep their result and refer to
 * the job that produced it. A job without a payload fails again.
 */
export async function copyJobs(
  tx: Tx,
  run: number,
  { from, to }: { from: number; to: number },
  rerunIds: readonly number[],
): Promise<void> {
  await tx`
    insert into forge.action_job
      (run_id, attempt, number, repository_id, name, key, needs, runs_on, payload, step_names, condition, matrix,
       continue_on_error, timeout_minutes, fails_fast, max_parallel, concurrency_source, concurrency_group,
       concurrency_cancels, permissions, message, source_job_id, status, started_at, stopped_at, created_at, updated_at)
    select run_id, ${to}, number, repository_id, name, key, needs, runs_on, payload, step_names, condition, matrix,
      continue_on_error, timeout_minutes, fails_fast, max_parallel, concurrency_source,
      case when is_again and concurrency_source is not null then null else concurrency_group end,
      concurrency_cancels, permissions, case when is_again and payload is not null then '' else message end,
      case when not is_again then coalesce(source_job_id, id) end,
      case when not is_again then status::text when payload is null then 'failure'
        when needs = '{}' and max_parallel is null then 'blocked' else 'requested' end,
      case when not is_again then started_at when payload is null then ${tx.now} end,
      case when not is_again then stopped_at when payload is null then ${tx.now} end, ${tx.now}, ${tx.now}
    from forge.action_job, lateral (select id = any(${[...rerunIds]}::bigint[]) as is_again) as choice
    where run_id = ${run} and attempt = ${from}
    order by number`
}
