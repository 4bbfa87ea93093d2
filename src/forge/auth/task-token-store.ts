import { BOT_ID } from '../../actions/run/bot.ts'
import type { Fragment, Sql } from '../../db/sql.ts'

/** The rights of a task as the look-up finds them: its repository, and the `permissions` of the job. */
export interface TaskRights {
  repository: number
  is_fork_pr: boolean
  /** The length of the chain of runs that led to this one, each started by a job of the run before. */
  dispatch_depth: number
  /** Null: the workflow sets no permissions. */
  permissions: Readonly<Record<string, string>> | null
}

/** Selects the bot for the tasks that these tokens (hashes in hexadecimal) belong to (`lookup-store.ts`). */
export const taskRows = (sql: Sql, hashes: readonly string[]): Fragment => sql`
  select 'task', ${BOT_ID}::bigint, id, encode(token_hash, 'hex'), null::text, null::timestamptz
  from forge.action_task
  where token_hash in ${sql(hashes.map((hash) => Buffer.from(hash, 'hex')))}
    and status in ('in_progress', 'cancelling')`

/** A column of the look-up: `TaskRights`, or null if the row does not belong to a task. */
export const taskColumn = (sql: Sql): Fragment => sql`
  case when candidate.role = 'task' then (
    select json_build_object('repository', job.repository_id, 'is_fork_pr', run.is_fork_pr,
      'dispatch_depth', run.dispatch_depth, 'permissions', job.permissions)
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    join forge.action_run as run on run.id = job.run_id
    where task.id = candidate.token_id
  ) end as task,`
