import { Code, ConnectError } from '@connectrpc/connect'
import type { Sql } from '../../db/sql.ts'
import { secretsReaching } from '../secrets/secret-store.ts'
import { cutLine, storedLines } from './log-lines.ts'
import { type Mask, maskOf } from './mask.ts'
import type { LogRow, UpdateLogRequest } from './protocol/messages.ts'
import { ownTask, type RunnerContext } from './runner-call.ts'
import { appendToLog, type StoredTask, sealLog } from './task-store.ts'
import type { ActionsTools } from './tools.ts'

/** A log that several write at once is somebody's mistake; so many times it is looked at again. */
const attempts = 5

/** Takes lines of a log; gives how many it has. What is known already is passed over, and a gap is not filled. */
export async function updateLog(ask: RunnerContext, request: UpdateLogRequest): Promise<number> {
  const index = Number(request.index)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const task = await ownTask(ask, request.taskId)
    const { log_lines: known } = task
    if (index < 0 || index > known) return known
    const rows = request.rows.slice(known - index)
    if (rows.length === 0) {
      if (request.noMore && !task.log_sealed) await sealLog(ask.sql, task.id)
      return known
    }
    if (task.log_sealed) throw new ConnectError('the log has been closed', Code.AlreadyExists)
    if (await append(ask, task, rows, request.noMore)) return known + rows.length
  }
  throw new ConnectError('the log is being written by others', Code.Unavailable)
}

async function append(
  { sql, now, tools }: RunnerContext,
  task: StoredTask,
  rows: readonly LogRow[],
  seal: boolean,
): Promise<boolean> {
  const piece = { taskId: task.id, behind: task.log_lines, lines: rows.length, seal }
  const room = tools.logLimit - task.log_bytes
  if (room < 0) return appendToLog(sql, { ...piece, content: '', bytes: 0 })
  const content = await storedLines(rows, await maskFor(sql, task, tools), now)
  const bytes = Buffer.byteLength(content)
  if (bytes <= room) return appendToLog(sql, { ...piece, content, bytes })
  // It counts as longer than the limit from here on, so nothing follows.
  return appendToLog(sql, { ...piece, content: cut(content, room) + cutLine(now), bytes: room + 1 })
}

/** As many whole lines as have room. */
function cut(content: string, room: number): string {
  const fitting = Buffer.from(content).subarray(0, room)
  return fitting.subarray(0, fitting.lastIndexOf(0x0a) + 1).toString()
}

/** Masks of tasks whose lines are coming in, the one used last at the end. */
const masks = new WeakMap<ActionsTools, Map<number, Mask>>()
const mostMasks = 1000

/** Characters of a mask that is kept: a larger one is made for each call, and is not in memory while nothing comes. */
const largestKept = 64 * 1024

/** Secrets are opened once for a task; those that change meanwhile are not what the task was given. */
async function maskFor(sql: Sql, task: StoredTask, tools: ActionsTools): Promise<Mask> {
  const known = masks.get(tools) ?? new Map<number, Mask>()
  masks.set(tools, known)
  const mask = known.get(task.id) ?? (await makeMask(sql, task, tools))
  known.delete(task.id)
  if (mask.size <= largestKept) known.set(task.id, mask)
  const [oldest] = known.keys()
  if (known.size > mostMasks && oldest !== undefined) known.delete(oldest)
  return mask
}

async function makeMask(sql: Sql, task: StoredTask, tools: ActionsTools): Promise<Mask> {
  const { owner_id: owner, repository_id: repository } = task
  const secrets = owner === null ? {} : await secretsReaching(sql, { owner, repository }, tools)
  return maskOf(Object.values(secrets), task.token_hash)
}
