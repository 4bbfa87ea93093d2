import { allRows, onlyRow, rowIds } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import type { Call } from '../workflow/call.ts'
import type { Permissions } from '../workflow/permissions.ts'
import type { Json } from '../workflow/values.ts'
import type { JobOutcome } from './status.ts'

/** What the state machine reads of jobs; `job-store.ts` writes them. */

/** A job with everything that advancing its run needs. */
export interface AttemptJob extends JobOutcome {
  id: number
  number: number
  name: string
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
  /** Whether the server plans it when the jobs that it needs have ended. */
  is_deferred: boolean
  /** Whether it has been planned so. */
  was_deferred: boolean
  /** Whether it calls a workflow, and the number of that file. */
  calls: boolean
  called_number: number | null
  /** Null until the jobs of the workflow that it calls are planned. */
  call: Call | null
  /** Outputs of that workflow; null until it has ended. */
  call_outputs: { readonly [name: string]: string } | null
  /** The new message, if it changes. */
  message?: string
}

/** All jobs of an attempt in their order. */
export const jobsOfAttempt = (sql: Sql, run: number, attempt: number) =>
  allRows(sql<AttemptJob[]>`
    select id, number, name, key, status, needs, condition, matrix, continue_on_error, fails_fast, max_parallel,
      source_job_id is not null as is_copy, expansion is not null and payload is null and caller is null as is_deferred,
      expansion is not null and num_nonnulls(payload, caller) > 0 as was_deferred, caller is not null as calls, called_number, call,
      call_outputs, concurrency_source, concurrency_group, concurrency_cancels
    from forge.action_job
    where run_id = ${run} and attempt = ${attempt}
    order by number`)

/** Ids of the jobs of a repository that have not ended. */
export const openJobsOfRepository = (sql: Sql, repository: number) =>
  rowIds(sql`
    select id
    from forge.action_job
    where repository_id = ${repository}
      and status in ('requested', 'blocked', 'queued', 'in_progress', 'cancelling')
    order by id`)

/** Ids of jobs that have waited without a change since a moment; the oldest first. */
export const abandonedJobs = (sql: Sql, since: Date, limit: number) =>
  rowIds(sql`
    select id
    from forge.action_job
    where status in ('queued', 'blocked') and updated_at < ${since}
    order by updated_at, id
    limit ${limit}`)

/** A job that waits for the server: a deferred one whose needs have ended, or one that calls a workflow. */
export interface ServerJob {
  id: number
  run_id: number
  attempt: number
  repository_id: number
  number: number
  name: string
  key: string
  needs: string[]
  condition: string
  /** What a deferred job is planned from. */
  expansion: string | null
  /** What a job that calls a workflow passes to it, and the number of the file. */
  caller: string | null
  called_number: number | null
  permissions: Permissions | null
}

/** The jobs that wait for the server in the attempt of a job: none if it was deleted, or all are planned or have ended. */
export const serverJobsBeside = (sql: Sql, id: number) =>
  allRows(sql<ServerJob[]>`
    select job.id, job.run_id, job.attempt, job.repository_id, job.number, job.name, job.key, job.needs, job.condition,
      job.expansion, job.caller, job.called_number, job.permissions
    from forge.action_job as named
    join forge.action_job as job on job.run_id = named.run_id and job.attempt = named.attempt
    where named.id = ${id} and job.status = 'queued' and job.payload is null and job.call is null
      and num_nonnulls(job.expansion, job.caller) > 0
    order by job.number`)

/** The highest number of a job of an attempt. */
export async function lastJobNumber(sql: Sql, run: number, attempt: number): Promise<number> {
  const { number } = await onlyRow(sql<[{ number: number }]>`
    select coalesce(max(number), 0) as number
    from forge.action_job
    where run_id = ${run} and attempt = ${attempt}`)
  return number
}
