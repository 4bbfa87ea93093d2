import type { Sql, Tx } from '../../db/sql.ts'
import { type Offer, takeable } from '../runner/queue.ts'
import type { Json } from '../workflow/values.ts'
import type { FinalStatus, Part, Status } from './status.ts'

/**
 * The only writer of jobs. Whoever ends a task locks its run first, then task and job; whoever gives or takes jobs away
 * locks task, job, run. What loses against somebody in another order is begun again (db/begin.ts).
 */

/** A job that a runner has just been given. */
export interface ClaimedJob {
  id: number
  run_id: number
  attempt: number
  repository_id: number
  step_names: string[]
}

/** Takes the oldest job of a kind for a runner; whoever takes one at the same time takes the next one. */
export async function claimJob(tx: Tx, offer: Offer, kind: string): Promise<ClaimedJob | undefined> {
  const [job] = await tx<ClaimedJob[]>`
    update forge.action_job
    set status = 'running', started_at = ${tx.now}, updated_at = ${tx.now}
    where id = (
      select job.id
      from forge.action_job as job
      join forge.repository on repository.id = job.repository_id
      where job.status = 'waiting' and forge.labels_key(job.runs_on) = ${kind} and ${takeable(tx, offer)}
      order by job.updated_at, job.id
      limit 1
      for update of job skip locked
    )
    returning id, run_id, attempt, repository_id, step_names`
  return job
}

/** Gives a job back that no runner has seen; it waits behind the others, in case it is why. */
export async function releaseJob(
  tx: Tx,
  id: number,
): Promise<Pick<ClaimedJob, 'run_id' | 'attempt'> | undefined> {
  const [job] = await tx<Pick<ClaimedJob, 'run_id' | 'attempt'>[]>`
    update forge.action_job
    set status = 'waiting', started_at = null, updated_at = ${tx.now}
    where id = ${id} and status = 'running'
    returning run_id, attempt`
  return job
}

/** A job as whoever ends it has to know it. */
export interface LockedJob {
  id: number
  run_id: number
  attempt: number
  repository_id: number
  status: Status
}

/** The job, locked until the transaction ends. */
export async function lockJob(tx: Tx, id: number): Promise<LockedJob | undefined> {
  const [job] = await tx<LockedJob[]>`
    select id, run_id, attempt, repository_id, status
    from forge.action_job
    where id = ${id}
    for update`
  return job
}

/** The job is to be ended by its runner, which has been asked to. */
export async function markCancelling(tx: Tx, id: number): Promise<void> {
  await tx`
    update forge.action_job
    set status = 'cancelling', updated_at = ${tx.now}
    where id = ${id} and status = 'running'`
}

/** Ends a job that has not ended yet; gives whether it had not. `at`: when it stopped. */
export async function finishJob(tx: Tx, id: number, status: FinalStatus, at: Date): Promise<boolean> {
  const { count } = await tx`
    update forge.action_job
    set status = ${status}, stopped_at = greatest(${at}::timestamptz, started_at), updated_at = ${tx.now}
    where id = ${id} and stopped_at is null`
  return count === 1
}

/** A job that is about to be made. */
export interface JobDraft {
  name: string
  key: string
  needs: readonly string[]
  runs_on: readonly string[]
  /** YAML; null where no runner is to see it. */
  payload: string | null
  step_names: readonly string[]
  condition: string
  /** JSON text; null: none. */
  matrix: string | null
  continue_on_error: boolean
  /** Null: the server does not know of any. */
  timeout_minutes: number | null
  fails_fast: boolean
  /** Null: no bound. */
  max_parallel: number | null
  /** A group that is still to be evaluated, as JSON text; null: none. */
  concurrency_source: string | null
  concurrency_group: string | null
  concurrency_cancels: boolean
  /** JSON text; null: the workflow says nothing. */
  permissions: string | null
  message: string
  status: Extract<Status, 'pending' | 'blocked' | 'waiting' | 'failure'>
}

/** Makes the jobs of an attempt in their order, in one statement. */
export async function insertJobs(
  tx: Tx,
  place: { run: number; attempt: number; repository: number },
  jobs: readonly JobDraft[],
): Promise<void> {
  await tx`
    insert into forge.action_job
      (run_id, attempt, number, repository_id, name, key, needs, runs_on, payload, step_names, condition, matrix,
       continue_on_error, timeout_minutes, fails_fast, max_parallel, concurrency_source, concurrency_group,
       concurrency_cancels, permissions, message, status, started_at, stopped_at, created_at, updated_at)
    select ${place.run}, ${place.attempt}, number, ${place.repository}, name, key, needs, runs_on,
      convert_to(payload, 'UTF8'), step_names, condition, matrix::json, continue_on_error, timeout_minutes,
      fails_fast, max_parallel, concurrency_source, concurrency_group, concurrency_cancels, permissions::json, message, status,
      case when status = 'failure' then ${tx.now}::timestamptz end,
      case when status = 'failure' then ${tx.now}::timestamptz end, ${tx.now}, ${tx.now}
    from rows from (json_to_recordset(${JSON.stringify(jobs)}::text::json) as (
      name text, key text, needs text[], runs_on text[], payload text, step_names text[], condition text, matrix text,
      continue_on_error boolean, timeout_minutes integer, fails_fast boolean, max_parallel integer,
      concurrency_source text, concurrency_group text, concurrency_cancels boolean, permissions text, message text, status text
    )) with ordinality as given (name, key, needs, runs_on, payload, step_names, condition, matrix, continue_on_error,
      timeout_minutes, fails_fast, max_parallel, concurrency_source, concurrency_group, concurrency_cancels,
      permissions, message, status, number)
    order by number`
}

/** A job as what follows from others is worked out for it. */
export interface AttemptJob extends Part {
  id: number
  needs: string[]
  condition: string
  /** JSON; null: none. */
  matrix: Json
  /** How many jobs of its key may be under way at a time; null: all of them. */
  max_parallel: number | null
  /** It stands for the job of an earlier attempt, and did not run again. */
  is_copy: boolean
  concurrency_source: string | null
  concurrency_group: string | null
  concurrency_cancels: boolean
  /** What is to be said of it from now on. */
  message?: string
}

/** All jobs of an attempt in their order. */
export async function jobsOfAttempt(sql: Sql, run: number, attempt: number): Promise<AttemptJob[]> {
  return await sql<AttemptJob[]>`
    select id, key, status, needs, condition, matrix, continue_on_error, fails_fast, max_parallel,
      source_job_id is not null as is_copy, concurrency_source, concurrency_group, concurrency_cancels
    from forge.action_job
    where run_id = ${run} and attempt = ${attempt}
    order by number`
}

/** Of these jobs those that no runner has, held until the transaction ends; not those that somebody else holds. */
export async function holdIdleJobs(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id
    from forge.action_job
    where id = any(${[...ids]}::bigint[]) and status in ('pending', 'blocked', 'waiting')
    order by id
    for update skip locked`
  return rows.map(({ id }) => id)
}

/** What becomes of a job that no runner has; what is left out stays. */
type JobMove = Pick<AttemptJob, 'id' | 'status' | 'message'> &
  Partial<Pick<AttemptJob, 'concurrency_group' | 'concurrency_cancels'>>

/** Moves jobs that no runner has on; the others stay what they are. */
export async function moveJobs(tx: Tx, moves: readonly JobMove[]): Promise<void> {
  if (moves.length === 0) return
  const rows = moves.map(
    ({ id, status, message, concurrency_group: group, concurrency_cancels: cancels }) => {
      return { id, status, message, group, cancels }
    },
  )
  await tx`
    update forge.action_job as job
    set status = move.status, message = coalesce(move.message, job.message),
      concurrency_group = coalesce(move."group", job.concurrency_group),
      concurrency_cancels = coalesce(move.cancels, job.concurrency_cancels),
      stopped_at = case when move.status in ('success', 'failure', 'cancelled', 'skipped')
        then ${tx.now}::timestamptz end,
      updated_at = ${tx.now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as move (id bigint, status text, message text, "group" text, cancels boolean)
    where job.id = move.id and job.status in ('pending', 'blocked', 'waiting')`
}

/** Jobs that nothing has become of since a moment; the oldest first. */
export async function abandonedJobs(sql: Sql, since: Date, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id
    from forge.action_job
    where status in ('waiting', 'blocked') and updated_at < ${since}
    order by updated_at, id
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/**
 * Makes the jobs of a further attempt: those whose ids are given are to run again, the others keep what they came to and
 * stand for the job that did it. What no runner could see fails again.
 */
export async function copyJobs(
  tx: Tx,
  run: number,
  { from, to }: { from: number; to: number },
  again: readonly number[],
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
        when needs = '{}' and max_parallel is null then 'blocked' else 'pending' end,
      case when not is_again then started_at when payload is null then ${tx.now} end,
      case when not is_again then stopped_at when payload is null then ${tx.now} end, ${tx.now}, ${tx.now}
    from forge.action_job, lateral (select id = any(${[...again]}::bigint[]) as is_again) as choice
    where run_id = ${run} and attempt = ${from}
    order by number`
}
