import { type CronTask, removeAll } from '../../../background/cron/cron-task.ts'
import { done, failed, type Outcome } from '../../../common/outcome.ts'
import { parseDuration } from '../../../common/units.ts'
import { removeAllButNewestDeliveries, removeDeliveriesBefore } from './delivery-history-store.ts'

/** Which finished deliveries are kept: those younger than some milliseconds, or the newest of each hook. */
export type Retention = { milliseconds: number } | { newest: number }

/** Parses a duration such as `168h`, or a number of deliveries per hook. */
export function parseRetention(text: string): Outcome<Retention, string> {
  if (/^\d{1,9}$/.test(text)) return done({ newest: Number(text) })
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined || milliseconds === 0)
    return failed('must be a duration such as 168h, or how many deliveries to keep of each webhook')
  return done({ milliseconds })
}

/** Deletes finished deliveries beyond the retention. */
export const cleanupHookTaskTable = (retention: Retention): CronTask => ({
  name: 'cleanup_hook_task_table',
  summary: 'Removes webhook deliveries that ended long ago.',
  schedule: '@midnight',
  run: async (run) => {
    const removed = await removeAll(run, (limit) =>
      'newest' in retention
        ? removeAllButNewestDeliveries(run.sql, retention.newest)
        : removeDeliveriesBefore(run.sql, new Date(run.now.getTime() - retention.milliseconds), limit),
    )
    return removed > 0 ? `${removed} removed` : undefined
  },
})
