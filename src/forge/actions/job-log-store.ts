import { allRows, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'

/** The place of the lines of a step in the log of its job, as the runner has reported it. */
interface StepLines {
  number: number
  first: number
  lines: number
}

export const linesOfSteps = (sql: Sql, task: number) =>
  allRows(sql<StepLines[]>`
    select number, log_index as first, log_length as lines
    from forge.action_step
    where task_id = ${task}
    order by number`)

/** Lines of a log, from the number of the first one on. */
export interface LogPart {
  first: number
  lines: string[]
}

/**
 * The last lines between `first` and `end`, of about `maximum` bytes: the stored parts, at least one of them.
 */
export async function lastLines(
  sql: Sql,
  task: number,
  { first, end, maximum }: { first: number; end: number; maximum: number },
): Promise<LogPart> {
  const parts = await sql<{ first: number; content: string }[]>`
    select first, content
    from (
      select first_line as first, content,
        sum(octet_length(content)) over (order by first_line desc) - octet_length(content) as behind
      from forge.action_log
      where task_id = ${task} and first_line < ${end}::bigint and first_line + lines > ${first}::bigint
    ) as part
    where behind < ${maximum}
    order by first`
  const start = parts[0]?.first ?? first
  const lines = parts.flatMap(({ content }) => content.split('\n').slice(0, -1))
  const from = Math.max(first, start)
  return { first: from, lines: lines.slice(from - start, Math.max(0, end - start)) }
}

/** A readable log. */
export interface JobLog {
  workflow_file: string
  job_name: string
  /** Null if no runner has had the job; then the log is just `message`. */
  task_id: number | null
  message: string
  /** The last line, written by the server, and its time; null: none. */
  end_note: string | null
  stopped_at: string | null
}

/**
 * The log of a job of a repository; undefined: no such job, nothing logged yet, or the log has expired. A job copied to
 * a later attempt has the log of its source.
 */
export const logOfJob = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<JobLog[]>`
    ${logsWhere(sql)}
      and job.id = ${id} and job.repository_id = ${repository}`)

/** The logs of the newest attempt of a run of a repository, in the order of its jobs; empty if there is no such run. */
export const logsOfRun = (sql: Sql, repository: number, run: number) =>
  allRows(sql<JobLog[]>`
    ${logsWhere(sql)}
      and run.id = ${run} and run.repository_id = ${repository} and job.attempt = run.attempt
    order by job.number`)

/** Selects jobs with a readable log; callers append conditions. */
const logsWhere = (sql: Sql): Fragment => sql`
  select run.workflow_file, job.name as job_name, task.id as task_id, job.message,
    case when not task.log_expired then task.end_note end as end_note, task.stopped_at
  from forge.action_job as job
  join forge.action_run as run on run.id = job.run_id
  left join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)
  where (job.message <> '' or (task.id is not null and not task.log_expired))`

/** The part that begins at this line, or the next one after it. */
export const partFrom = (sql: Sql, task: number, line: number) =>
  firstRow(sql<{ content: string; next: number }[]>`
    select content, first_line + lines as next
    from forge.action_log
    where task_id = ${task} and first_line >= ${line}
    order by first_line
    limit 1`)
