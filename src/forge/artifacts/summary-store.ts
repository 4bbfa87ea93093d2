import { allRows, anyRow, rowCount } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { RunningTask } from './artifact-store.ts'

/** The only writer of what steps have written for readers. */

/** Of one step. */
export interface StoredSummary {
  job_id: number
  job_name: string
  /** From 0. */
  step: number
  step_name: string
  /** Markdown. */
  content: string
}

/** Stores what a step has written, in the place of what it sent before; false: the job has no such step. */
export const putSummary = (tx: Tx, { id }: RunningTask, step: number, content: string) =>
  anyRow(tx`
    insert into forge.action_summary (task_id, step, content)
    select task_id, number, ${content}
    from forge.action_step
    where task_id = ${id} and number = ${step}
    on conflict on constraint action_summary_pkey do update set content = excluded.content
    returning step`)

/** How many other steps of a job have written something. */
export const countOtherSummaries = (tx: Tx, { id }: RunningTask, step: number) =>
  rowCount(tx`
    select step
    from forge.action_summary
    where task_id = ${id} and step <> ${step}`)

/**
 * What the steps of an attempt of a run have written, or those of one of its jobs, in their order: as many as have
 * `maximum` bytes together. A job that was carried over to a later attempt has what its source has.
 */
export const summariesOf = (
  sql: Sql,
  { run, attempt, job }: { run: number; attempt: number; job?: number },
  maximum: number,
) =>
  allRows(sql<StoredSummary[]>`
    select job_id, job_name, step, step_name, content
    from (
      select job.id as job_id, job.name as job_name, job.number, summary.step, step.name as step_name, summary.content,
        sum(octet_length(summary.content)) over (order by job.number, job.id, summary.step) as bytes
      from forge.action_job as job
      join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)
      join forge.action_summary as summary on summary.task_id = task.id
      join forge.action_step as step on step.task_id = task.id and step.number = summary.step
      where job.run_id = ${run} and job.attempt = ${attempt} ${job === undefined ? sql`` : sql`and job.id = ${job}`}
    ) as summary
    where bytes <= ${maximum}
    order by number, job_id, step`)
