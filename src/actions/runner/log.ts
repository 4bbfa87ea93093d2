import { Code, ConnectError } from '@connectrpc/connect'
import { insertAnnotations } from './annotation-store.ts'
import { cutLine, storedLines } from './log-lines.ts'
import type { LogRow, UpdateLogRequest } from './protocol/messages.ts'
import { type RunnerContext, taskOfRunner } from './runner-call.ts'
import { maskFor } from './task-mask.ts'
import { appendToLog, closeLog, type LogPiece, type StoredTask } from './task-store.ts'
import { annotationsIn } from './workflow-command.ts'

/** How often an append is retried. Concurrent writers of one log are a fault of a runner. */
const maxAttempts = 5

/** Appends lines to a log; returns how many lines it has. Skips stored lines; after a gap it appends nothing. */
export async function updateLog(context: RunnerContext, request: UpdateLogRequest): Promise<number> {
  const index = Number(request.index)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const task = await taskOfRunner(context, request.taskId)
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
  throw new ConnectError('other calls are writing the log', Code.Unavailable)
}

async function append(
  context: RunnerContext,
  task: StoredTask,
  rows: readonly LogRow[],
  closes: boolean,
): Promise<boolean> {
  const { sql, now, tools } = context
  const piece = { taskId: task.id, firstLine: task.log_lines, lines: rows.length, closes }
  const remaining = tools.logLimit - task.log_bytes
  if (remaining < 0) return appendToLog(sql, { ...piece, content: '', bytes: 0 })
  const content = await storedLines(rows, await maskFor(sql, task, tools), now)
  const bytes = Buffer.byteLength(content)
  if (bytes <= remaining) return store(context, { ...piece, content, bytes })
  // From here on the log counts as longer than the limit, so nothing more is appended.
  return store(context, {
    ...piece,
    content: wholeLines(content, remaining) + cutLine(now),
    bytes: remaining + 1,
  })
}

/** Stores lines together with the annotations in them. */
function store({ sql, begin }: RunnerContext, piece: LogPiece): Promise<boolean> {
  const annotations = annotationsIn(piece.content, piece.firstLine)
  if (annotations.length === 0) return appendToLog(sql, piece)
  return begin(async (tx) => {
    if (!(await appendToLog(tx, piece))) return false
    await insertAnnotations(tx, piece.taskId, annotations)
    return true
  })
}

/** As many whole lines as fit. */
function wholeLines(content: string, maxBytes: number): string {
  const fitting = Buffer.from(content).subarray(0, maxBytes)
  return fitting.subarray(0, fitting.lastIndexOf(0x0a) + 1).toString()
}
