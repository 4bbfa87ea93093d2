import { Readable } from 'node:stream'
import type { Sql } from '../../db/sql.ts'
import { zipOf } from '../../http/pipeline/zip.ts'
import type { Stream } from '../../http/route/results.ts'
import { fileName, textOf, workflowName } from './job-log.ts'
import type { JobLog } from './job-log-store.ts'

/** Streams the logs of a run as a zip archive with one file per job; without logs it is empty. */
export function sendLogs(sql: Sql, run: number, logs: readonly JobLog[]): Stream {
  const prefix = logs[0] ? `${entryName(workflowName(logs[0].workflow_file))}-` : ''
  const names = new Set<string>()
  const entries = logs.map((log) => ({
    path: uniqueName(entryName(fileName(log)), names),
    ...(log.stopped_at !== null && { mtime: new Date(log.stopped_at) }),
    open: () => Readable.from(textOf(sql, log)),
  }))
  return zipOf(`${prefix}run-${run}-logs.zip`, entries)
}

/** Maximum characters of a name in the archive; with four bytes each it fits into names of common file systems. */
const maxNameLength = 60

/**
 * A name that stays a single file wherever the archive is unpacked: without separators, control characters and what
 * Windows forbids. The suffix makes the name unique, so a long name is cut before it.
 */
function entryName(name: string): string {
  const characters = [...name.toWellFormed().replace(/[\u0000-\u001f\u007f/\\:*?"<>|]/g, '-')]
  const suffix = /-\d+\.log$/.exec(name)?.[0] ?? ''
  return characters.length <= maxNameLength
    ? characters.join('')
    : characters.slice(0, maxNameLength - suffix.length).join('') + suffix
}

/** Jobs that no runner has had may share a name: the second becomes `… (2)`. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name
  for (let number = 2; taken.has(unique); number++) unique = name.replace(/(\.log)?$/, ` (${number})$1`)
  taken.add(unique)
  return unique
}
