import type { Begin, Sql } from '../../db/sql.ts'
import { readScheduleLine } from './schedule-lines.ts'
import { deleteSchedule, holdDueSchedules, isScheduleDue, putOffSchedule } from './schedule-store.ts'
import { insertTriggers } from './trigger-store.ts'

/** Schedules of one transaction at most. */
const atOnce = 100

/**
 * Queues an event for each schedule that is due; of several processes one does it. What was missed while nobody ran is
 * made up for once. Gives whether there was anything.
 */
export async function queueDueSchedules(sql: Sql, begin: Begin, now: Date): Promise<boolean> {
  if (!(await isScheduleDue(sql, now))) return false
  await begin(async (tx) => {
    const due = await holdDueSchedules(tx, atOnce)
    for (const { id, cron } of due) {
      const line = readScheduleLine(cron)
      if (line) await putOffSchedule(tx, id, line.next(tx.now))
      else await deleteSchedule(tx, id)
    }
    const triggers = due.map(({ repository_id, workflow_file, ref, commit_sha, cron }) => ({
      ...{
        repository_id,
        ref,
        kind: 'schedule',
        before: null,
        after: commit_sha,
        actor_id: null,
        by_bot: true,
      },
      payload: { schedule: cron, workflow: workflow_file },
    }))
    if (triggers.length > 0) await insertTriggers(tx, triggers, tx.now)
  })
  return true
}
