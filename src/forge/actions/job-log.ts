import { Readable } from 'node:stream'
import { lineOf } from '../../actions/runner/log-lines.ts'
import type { Sql } from '../../db/sql.ts'
import { attachment } from '../../http/pipeline/attachment.ts'
import { pipeToResponse } from '../../http/pipeline/pipe-to-response.ts'
import type { Stream } from '../../http/route/results.ts'
import { type JobLog, partFrom } from './job-log-store.ts'

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

/** `ci-build (1.10)-17.log` */
export function fileName({ workflow_file, job_name, task_id }: JobLog): string {
  return `${workflowName(workflow_file)}-${job_name}-${task_id ?? 0}.log`
}

/** The file name of a workflow without its extension. */
export const workflowName = (file: string) => file.replace(/\.[^./]*$/, '')
