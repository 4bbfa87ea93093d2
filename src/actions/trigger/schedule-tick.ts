import type { Begin, Sql } from '../../db/sql.ts'
import { readScheduleLine } from './schedule-lines.ts'
import { deleteSchedule, isScheduleDue, lockDueSchedules, reschedule } from './schedule-store.ts'
import { insertTriggers } from './trigger-store.ts'

/** Maximum schedules per transaction. */
const batchSize = 100

/**
 * Queues a trigger for each due schedule; row locks ensure that one process does it. A schedule that became due several
 * times while no server ran gets one trigger. Returns whether more may be due than one transaction takes.
 */
export async function queueDueSchedules(sql: Sql, begin: Begin, now: Date): Promise<boolean> {
  if (!(await isScheduleDue(sql, now))) return false
  return begin(async (tx) => {
    const due = await lockDueSchedules(tx, batchSize)
    for (const { id, cron } of due) {
      const line = readScheduleLine(cron)
      if (line) await reschedule(tx, id, line.next(tx.now))
      else await deleteSchedule(tx, id)
    }
    const triggers = due.map(({ repository_id, workflow_file, ref, commit_sha, cron }) => ({
      repository_id,
      ref,
      kind: 'schedule',
      before: null,
      after: commit_sha,
      actor_id: null,
      by_bot: true,
      payload: { schedule: cron, workflow: workflow_file },
    }))
    if (triggers.length > 0) await insertTriggers(tx, triggers, tx.now)
    return due.length === batchSize
  })
}
