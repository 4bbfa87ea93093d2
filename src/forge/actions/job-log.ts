import { Readable } from 'node:stream'
import { lineOf } from '../../actions/runner/log-lines.ts'
import { allRows, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { attachment } from '../../http/pipeline/attachment.ts'
import { pipeToResponse } from '../../http/pipeline/pipe-to-response.ts'
import type { Stream } from '../../http/route/results.ts'

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

/** Streams a log as a text file, part by part as stored, since it may be too long for memory. */
export function sendLog(sql: Sql, log: JobLog): Stream {
  return async (req, res) => {
    res.writeHead(200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Disposition': attachment(fileName(log)),
    })
    if (req.method === 'HEAD') res.end()
    else await pipeToResponse(req, res, Readable.from(textOf(sql, log)))
  }
}

/** A log as text, in the parts in which it is stored. */
export async function* textOf(
  sql: Sql,
  { task_id: task, message, end_note: note, stopped_at: stoppedAt }: JobLog,
): AsyncIterable<string> {
  if (message !== '') yield message.endsWith('\n') ? message : `${message}\n`
  let next = 0
  while (task !== null) {
    const part = await partFrom(sql, task, next)
    if (!part) break
    yield part.content
    next = part.next
  }
  if (note && stoppedAt !== null) yield lineOf(note, new Date(stoppedAt))
}

/** The part that begins at this line, or the next one after it. */
const partFrom = (sql: Sql, task: number, line: number) =>
  firstRow(sql<{ content: string; next: number }[]>`
    select content, first_line + lines as next
    from forge.action_log
    where task_id = ${task} and first_line >= ${line}
    order by first_line
    limit 1`)

/** `ci-build (1.10)-17.log` */
export function fileName({ workflow_file, job_name, task_id }: JobLog): string {
  return `${workflowName(workflow_file)}-${job_name}-${task_id ?? 0}.log`
}

/** The file name of a workflow without its extension. */
export const workflowName = (file: string) => file.replace(/\.[^./]*$/, '')
