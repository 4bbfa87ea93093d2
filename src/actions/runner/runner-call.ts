import { Code, ConnectError } from '@connectrpc/connect'
import type { Begin, Sql } from '../../db/sql.ts'
import type { CallingRunner } from './runner-store.ts'
import { type StoredTask, taskById } from './task-store.ts'
import type { ActionsTools } from './tools.ts'

/** The context of a call that needs no runner. */
export interface CallContext {
  sql: Sql
  begin: Begin
  now: Date
  tools: ActionsTools
  /** Root of links, with a slash at its end. */
  host: string
}

/** The context of a call by a registered runner. */
export interface RunnerContext extends CallContext {
  runner: CallingRunner
}

/**
 * The task that a runner reports on.
 * @throws ConnectError not_found, permission_denied
 */
export async function taskOfRunner({ sql, runner }: RunnerContext, id: bigint): Promise<StoredTask> {
  const task = id > 0n && id <= BigInt(Number.MAX_SAFE_INTEGER) ? await taskById(sql, Number(id)) : undefined
  if (!task) throw new ConnectError('there is no such task', Code.NotFound)
  if (task.runner_id === runner.id) return task
  throw new ConnectError('this is the task of another runner', Code.PermissionDenied)
}
