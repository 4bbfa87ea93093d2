import { allRows } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { Annotation } from './workflow-command.ts'

/** The only writer of annotations. */

/** How many of each kind are kept of a job. */
const maximum = 20

/** Keeps annotations of lines that the same transaction appends, as long as there is room for their kind. */
export async function insertAnnotations(
  tx: Tx,
  task: number,
  annotations: readonly Annotation[],
): Promise<void> {
  const ranked = annotations.map((each, at) => ({
    ...each,
    rank: annotations.slice(0, at).filter(({ kind }) => kind === each.kind).length,
  }))
  const first = ranked.filter(({ rank }) => rank < maximum)
  await tx`
    insert into forge.action_annotation (task_id, line, kind, content)
    select ${task}::bigint, line, kind, content
    from unnest(
      ${first.map(({ line }) => line)}::bigint[], ${first.map(({ kind }) => kind)}::text[],
      ${first.map(({ content }) => content)}::text[], ${first.map(({ rank }) => rank)}::integer[]
    ) as found (line, kind, content, rank)
    where ${maximum} > rank + (
      select count(*)
      from forge.action_annotation as kept
      where kept.task_id = ${task} and kept.kind = found.kind
    )`
}

/** An annotation with its job. */
export interface StoredAnnotation extends Annotation {
  job_id: number
  job_name: string
  /** The step that has written it; null: none, or it is not known yet. */
  step: number | null
}

/**
 * The annotations of an attempt of a run, or of one of its jobs, up to `limit`: errors first, then warnings and notices,
 * in the order in which they were written. A job that was carried over to a later attempt has those of its source.
 */
export const annotationsOf = (
  sql: Sql,
  { run, attempt, job }: { run: number; attempt: number; job?: number },
  limit: number,
) =>
  allRows(sql<StoredAnnotation[]>`
    select job.id as job_id, job.name as job_name, line, kind, content, step.number as step
    from forge.action_job as job
    join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)
    join forge.action_annotation as annotation on annotation.task_id = task.id
    left join forge.action_step as step
      on step.task_id = task.id and line >= step.log_index and line < step.log_index + step.log_length
    where job.run_id = ${run} and job.attempt = ${attempt} ${job === undefined ? sql`` : sql`and job.id = ${job}`}
    order by array_position(array['error', 'warning', 'notice'], kind), job.number, job.id, line
    limit ${limit}`)
