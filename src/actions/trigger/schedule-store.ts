import { allRows, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** The only writer of schedules. */

/** A line of `on.schedule` and its next time. */
export interface ScheduleDraft {
  workflow_file: string
  cron: string
  next_at: Date
}

/**
 * Replaces the schedules of a repository by those of its newest commit. An unchanged line keeps its time: otherwise
 * each push would restart `@every`, and a run that is due now would be skipped.
 */
export async function replaceSchedules(
  tx: Tx,
  { repository, ref, commit }: { repository: number; ref: string; commit: string },
  schedules: readonly ScheduleDraft[],
): Promise<void> {
  const rows = schedules.map((schedule, position) => ({ ...schedule, position }))
  await tx`
    with old as (
      delete from forge.action_schedule
      where repository_id = ${repository}
      returning workflow_file, cron, next_at, previous_at
    ), known as (
      select workflow_file, cron, min(next_at) as next_at, max(previous_at) as previous_at
      from old
      group by workflow_file, cron
    )
    insert into forge.action_schedule
      (repository_id, workflow_file, ref, commit_sha, cron, next_at, previous_at, created_at)
    select ${repository}, input.workflow_file, ${ref}, ${commit}, input.cron, coalesce(known.next_at, input.next_at),
      known.previous_at, ${tx.now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
      position integer, workflow_file text, cron text, next_at timestamptz
    )
    left join known on known.workflow_file = input.workflow_file and known.cron = input.cron
    order by input.position`
}

interface DueSchedule {
  id: number
  repository_id: number
  workflow_file: string
  ref: string
  commit_sha: string
  cron: string
}

/** Locks due schedules until the transaction ends; skips those that other transactions have locked. */
export const lockDueSchedules = (tx: Tx, limit: number) =>
  allRows(tx<DueSchedule[]>`
    select id, repository_id, workflow_file, ref, commit_sha, cron
    from forge.action_schedule
    where next_at <= ${tx.now}
    order by next_at, id
    for update skip locked
    limit ${limit}`)

/** Sets when a locked schedule is due next. */
export async function reschedule(tx: Tx, id: number, nextAt: Date): Promise<void> {
  await tx`
    update forge.action_schedule
    set previous_at = ${tx.now}, next_at = ${nextAt}
    where id = ${id}`
}

/** Deletes a locked schedule that never becomes due again. */
export async function deleteSchedule(tx: Tx, id: number): Promise<void> {
  await tx`
    delete from forge.action_schedule
    where id = ${id}`
}

/** Whether any schedule is due: mostly none is, and this check is cheaper than a transaction. */
export async function isScheduleDue(sql: Sql, now: Date): Promise<boolean> {
  const { due } = await onlyRow(sql<[{ due: boolean }]>`
    select exists (select from forge.action_schedule where next_at <= ${now}) as due`)
  return due
}
