import { Code, ConnectError } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import type { Sql } from '../../db/sql.ts'
import { secretsReaching } from '../secrets/secret-store.ts'
import { cutLine, storedLines } from './log-lines.ts'
import { type Mask, maskOf } from './mask.ts'
import type { LogRow, UpdateLogRequest } from './protocol/messages.ts'
import { ownTask, type RunnerContext } from './runner-call.ts'
import { appendToLog, closeLog, type StoredTask } from './task-store.ts'
import type { ActionsTools } from './tools.ts'

/** How often an append is retried. Concurrent writers of one log are a fault of a runner. */
const maxAttempts = 5

/** Appends lines to a log; returns how many lines it has. Skips lines that are stored already; refuses a gap. */
export async function updateLog(context: RunnerContext, request: UpdateLogRequest): Promise<number> {
  const index = Number(request.index)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const task = await ownTask(context, request.taskId)
    const { log_lines: accepted } = task
    if (index < 0 || index > accepted) return accepted
    const rows = request.rows.slice(accepted - index)
    if (rows.length === 0) {
      if (request.noMore && !task.log_sealed) await closeLog(context.sql, task.id)
      return accepted
    }
    if (task.log_sealed) throw new ConnectError('the log has been closed', Code.AlreadyExists)
    if (await append(context, task, rows, request.noMore)) return accepted + rows.length
  }
  throw new ConnectError('the log is being written by others', Code.Unavailable)
}

async function append(
  { sql, now, tools }: RunnerContext,
  task: StoredTask,
  rows: readonly LogRow[],
  closes: boolean,
): Promise<boolean> {
  const piece = { taskId: task.id, behind: task.log_lines, lines: rows.length, closes }
  const remaining = tools.logLimit - task.log_bytes
  if (remaining < 0) return appendToLog(sql, { ...piece, content: '', bytes: 0 })
  const content = await storedLines(rows, await maskFor(sql, task, tools), now)
  const bytes = Buffer.byteLength(content)
  if (bytes <= remaining) return appendToLog(sql, { ...piece, content, bytes })
  // From here on the log counts as longer than the limit, so nothing more is appended.
  return appendToLog(sql, {
    ...piece,
    content: wholeLines(content, remaining) + cutLine(now),
    bytes: remaining + 1,
  })
}

/** As many whole lines as fit. */
function wholeLines(content: string, maxBytes: number): string {
  const fitting = Buffer.from(content).subarray(0, maxBytes)
  return fitting.subarray(0, fitting.lastIndexOf(0x0a) + 1).toString()
}

/** Masks of tasks that are sending lines. */
const masks = new WeakMap<ActionsTools, LRUCache<number, Mask>>()
const maxCachedMasks = 1000

/**
 * Maximum size of a cached mask, in characters; a larger one is rebuilt for each call so that it does not stay in
 * memory.
 */
const maxCachedSize = 64 * 1024

/** Decrypts the secrets once per task; later changes are not what the task received. */
async function maskFor(sql: Sql, task: StoredTask, tools: ActionsTools): Promise<Mask> {
  const cache = masks.get(tools) ?? new LRUCache<number, Mask>({ max: maxCachedMasks })
  masks.set(tools, cache)
  const mask = cache.get(task.id) ?? (await makeMask(sql, task, tools))
  if (mask.size <= maxCachedSize) cache.set(task.id, mask)
  return mask
}

async function makeMask(sql: Sql, task: StoredTask, tools: ActionsTools): Promise<Mask> {
  const { owner_id: owner, repository_id: repository } = task
  const secrets = owner === null ? {} : await secretsReaching(sql, { owner, repository }, tools)
  return maskOf(Object.values(secrets), task.token_hash)
}
