import type { Fragment, Sql } from '../../db/sql.ts'

/** Ids of open tasks of which no runner has reported since a moment; the oldest first. */
export const silentTasks = (sql: Sql, since: Date, limit: number) =>
  openTasks(sql, sql`task.updated_at < ${since}`, limit)

/** Ids of open tasks that started before a moment; the oldest first. */
export const tasksStartedBefore = (sql: Sql, before: Date, limit: number) =>
  openTasks(sql, sql`task.started_at < ${before}`, limit)

/** Ids of open tasks whose `timeout-minutes` ended before a moment; the oldest first. */
export const tasksTimedOutBefore = (sql: Sql, before: Date, limit: number) =>
  openTasks(sql, sql`task.started_at + make_interval(mins => job.timeout_minutes) < ${before}`, limit)

/** `condition`: on `task` and `job`. */
async function openTasks(sql: Sql, condition: Fragment, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select task.id
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    where task.status in ('in_progress', 'cancelling') and ${condition}
    order by task.id
    limit ${limit}`
  return rows.map(({ id }) => id)
}
