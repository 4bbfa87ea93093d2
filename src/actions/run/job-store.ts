import { anyRow, firstRow, rowCount, rowIds } from '../../db/rows.ts'
import type { Tx } from '../../db/sql.ts'
import { claimableBy, type Offer } from '../runner/queue-store.ts'
import type { Call } from '../workflow/call.ts'
import type { AttemptJob } from './attempt-job-store.ts'
import type { FinalStatus, Status } from './status.ts'
import { storableText } from './storable-text.ts'

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
  environment: string | null
  environment_url: string | null
  fails_fast: boolean
  /** Null: no bound. */
  max_parallel: number | null
  /** What a deferred job is planned from; null: it is planned. */
  expansion: string | null
  /** The workflow with this job alone, if it calls another one; and the number of that file. */
  caller: string | null
  called_number: number | null
  /** A group that is evaluated later, as JSON text; null: none. */
  concurrency_source: string | null
  concurrency_group: string | null
  concurrency_cancels: boolean
  /** JSON text; null: not specified by the workflow. */
  permissions: string | null
  message: string
  status: Extract<Status, 'requested' | 'blocked' | 'queued' | 'failure'>
}

/** Inserts jobs of an attempt in their order, in one statement. `after`: how many it has. */
export async function insertJobs(
  tx: Tx,
  attempt: { run: number; attempt: number; repository: number },
  jobs: readonly JobDraft[],
  after = 0,
): Promise<void> {
  const rows = jobs.map((job, at) => ({ ...job, number: after + at + 1 }))
  await tx`
    insert into forge.action_job
      (run_id, attempt, number, repository_id, name, key, needs, runs_on, payload, step_names, condition, matrix,
       continue_on_error, timeout_minutes, environment, environment_url, fails_fast, max_parallel, expansion, caller, called_number,
       concurrency_source, concurrency_group, concurrency_cancels, permissions, message, status, started_at, stopped_at, created_at, updated_at)
    select ${attempt.run}, ${attempt.attempt}, number, ${attempt.repository}, name, key, needs, runs_on,
      convert_to(payload, 'UTF8'), step_names, condition, matrix::json, continue_on_error, timeout_minutes,
      environment, environment_url, fails_fast, max_parallel, expansion, caller, called_number, concurrency_source, concurrency_group, concurrency_cancels,
      permissions::json, message, status,
      case when status = 'failure' then ${tx.now}::timestamptz end,
      case when status = 'failure' then ${tx.now}::timestamptz end, ${tx.now}, ${tx.now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
      number integer, name text, key text, needs text[], runs_on text[], payload text, step_names text[], condition text, matrix text,
      continue_on_error boolean, timeout_minutes integer, environment text, environment_url text, fails_fast boolean, max_parallel integer,
      expansion text, caller text, called_number integer, concurrency_source text, concurrency_group text, concurrency_cancels boolean, permissions text, message text, status text
    )
    order by number`
}

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

/**
 * Turns a deferred job into its first combination; false if it has been planned or has ended meanwhile. It keeps its
 * number and what it is planned from.
 */
export const putFirstCombination = (tx: Tx, id: number, draft: JobDraft) =>
  anyRow(tx`
    update forge.action_job
    set name = ${draft.name}, runs_on = ${[...draft.runs_on]}, payload = convert_to(${draft.payload}, 'UTF8'),
      step_names = ${[...draft.step_names]}, matrix = ${draft.matrix}::text::json,
      continue_on_error = ${draft.continue_on_error}, timeout_minutes = ${draft.timeout_minutes},
      environment = ${draft.environment}, environment_url = ${draft.environment_url},
      fails_fast = ${draft.fails_fast}, max_parallel = ${draft.max_parallel},
      concurrency_group = ${draft.concurrency_group}, concurrency_cancels = ${draft.concurrency_cancels},
      permissions = ${draft.permissions}::text::json, caller = ${draft.caller}, called_number = ${draft.called_number},
      status = 'requested', updated_at = ${tx.now}
    where id = ${id} and status = 'queued' and payload is null and expansion is not null and caller is null`)

/** Starts a job that calls a workflow whose jobs are planned; false if it has started or has ended meanwhile. */
export const startCall = (tx: Tx, id: number, call: Call) =>
  anyRow(tx`
    update forge.action_job
    set call = ${storableText(JSON.stringify(call))}::text::json, status = 'in_progress', started_at = ${tx.now},
      updated_at = ${tx.now}
    where id = ${id} and status = 'queued' and caller is not null and call is null`)

/** The end of a job that calls a workflow, whose jobs have ended. */
type CallEnd = Pick<AttemptJob, 'id' | 'status' | 'message' | 'call_outputs'>

export async function endCalls(tx: Tx, ends: readonly CallEnd[]): Promise<void> {
  if (ends.length === 0) return
  await tx`
    update forge.action_job as job
    set status = ending.status, message = coalesce(ending.message, job.message), call_outputs = ending.call_outputs,
      stopped_at = ${tx.now}, updated_at = ${tx.now}
    from json_to_recordset(${JSON.stringify(ends)}::text::json)
      as ending (id bigint, status text, message text, call_outputs json)
    where job.id = ending.id and job.status = 'in_progress' and job.call is not null`
}

/** What becomes of a job in a further attempt. */
export interface JobCopy {
  id: number
  /**
   * `keep` refers to the job that produced its result; `plan` is `run` from the text that a deferred job has, `call` calls a
   * workflow again, and `resume` does so with the jobs that it has.
   */
  does: 'keep' | 'run' | 'plan' | 'call' | 'resume'
  name: string
}

/** Inserts the jobs of a further attempt. A job that can neither run nor be planned fails again. */
export async function copyJobs(
  tx: Tx,
  run: number,
  { from, to }: { from: number; to: number },
  copies: readonly JobCopy[],
): Promise<void> {
  await tx`
    insert into forge.action_job
      (run_id, attempt, number, repository_id, name, key, needs, runs_on, payload, step_names, condition, matrix,
       continue_on_error, timeout_minutes, environment, environment_url, fails_fast, max_parallel, expansion, caller, called_number, call, call_outputs,
       concurrency_source, concurrency_group, concurrency_cancels, permissions, message, source_job_id, status, started_at, stopped_at, created_at, updated_at)
    select run_id, ${to}, number, repository_id, copy.name, key, needs, runs_on, case when does <> 'plan' then payload end,
      step_names, condition, case when does <> 'plan' then matrix end, continue_on_error, timeout_minutes,
      case when does <> 'plan' then environment end, case when does <> 'plan' then environment_url end, fails_fast,
      case when does <> 'plan' then max_parallel end, expansion, case when does <> 'plan' then caller end,
      case when does <> 'plan' then called_number end, case when does in ('keep', 'resume') then call end,
      case when does = 'keep' then call_outputs end, concurrency_source,
      case when does = 'plan' or does in ('run', 'call') and concurrency_source is not null then null else concurrency_group end,
      concurrency_cancels, permissions, case when does = 'keep' or is_fault then message else '' end,
      case when does = 'keep' then coalesce(source_job_id, job.id) end,
      case when does = 'keep' then status::text when is_fault then 'failure' when does = 'resume' then 'in_progress'
        when does = 'run' and needs = '{}' and max_parallel is null then 'blocked' else 'requested' end,
      case when does = 'keep' then started_at when is_fault or does = 'resume' then ${tx.now} end,
      case when does = 'keep' then stopped_at when is_fault then ${tx.now} end, ${tx.now}, ${tx.now}
    from forge.action_job as job
    join json_to_recordset(${JSON.stringify(copies)}::text::json) as copy (id bigint, does text, name text) using (id)
    cross join lateral (select does = 'run' and payload is null as is_fault) as fault
    where run_id = ${run} and attempt = ${from}
    order by number`
}
