import { Readable } from 'node:stream'
import { lineOf } from '../../actions/runner/log-lines.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { pipeToResponse } from '../../http/pipeline/pipe-to-response.ts'
import type { Stream } from '../../http/route/results.ts'

/** A log that can be read. */
export interface JobLog {
  workflow_file: string
  job_name: string
  /** Null where no runner has had the job: then `message` is all there is. */
  task_id: number | null
  message: string
  /** What the server says at the end of the log, and when that was; null where it says nothing. */
  end_note: string | null
  stopped_at: string | null
}

/**
 * The log of a job of a repository; undefined: no such job, nothing has been logged yet, or no more kept. A job that an
 * attempt carried over has the log of the job that did the work.
 */
export async function logOfJob(sql: Sql, repository: number, id: number): Promise<JobLog | undefined> {
  const [log] = await sql<JobLog[]>`
    ${logs(sql)}
      and job.id = ${id} and job.repository_id = ${repository}`
  return log
}

/** The logs of the newest attempt of a run of a repository, in the order of its jobs; none where there is no such run. */
export async function logsOfRun(sql: Sql, repository: number, run: number): Promise<JobLog[]> {
  return await sql<JobLog[]>`
    ${logs(sql)}
      and run.id = ${run} and run.repository_id = ${repository} and job.attempt = run.attempt
    order by job.number`
}

/** Logs of jobs of which there is something to read; conditions follow. */
const logs = (sql: Sql): Fragment => sql`
  select run.workflow_file, job.name as job_name, task.id as task_id, job.message,
    case when not task.log_expired then task.end_note end as end_note, task.stopped_at
  from forge.action_job as job
  join forge.action_run as run on run.id = job.run_id
  left join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)
  where (job.message <> '' or (task.id is not null and not task.log_expired))`

/** Sends a log as a file of text, piece by piece as the database has it: it may be longer than what should be in memory. */
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

/** A log as text, in the pieces in which it is stored. */
export async function* textOf(
  sql: Sql,
  { task_id: task, message, end_note: note, stopped_at: at }: JobLog,
): AsyncIterable<string> {
  if (message !== '') yield message.endsWith('\n') ? message : `${message}\n`
  let next = 0
  while (task !== null) {
    const piece = await pieceAt(sql, task, next)
    if (!piece) break
    yield piece.content
    next = piece.next
  }
  if (note && at !== null) yield lineOf(note, new Date(at))
}

/** The piece that begins with a line, or the first one behind it. */
async function pieceAt(sql: Sql, task: number, line: number) {
  const [piece] = await sql<{ content: string; next: number }[]>`
    select content, first_line + lines as next
    from forge.action_log
    where task_id = ${task} and first_line >= ${line}
    order by first_line
    limit 1`
  return piece
}

/** `ci-build (1.10)-17.log` */
export function fileName({ workflow_file, job_name, task_id }: JobLog): string {
  return `${workflowName(workflow_file)}-${job_name}-${task_id ?? 0}.log`
}

/** The file of a workflow without its extension. */
export const workflowName = (file: string) => file.replace(/\.[^./]*$/, '')

/** RFC 6266, section 4.3: the name for all, and as it is for those who read the other one. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\w .()+-]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, escaped)}`
}

const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
