import { type CronTask, removeAll } from '../../../background/cron/cron-task.ts'
import type { Sql } from '../../../db/sql.ts'
import { parseDuration } from '../../../units.ts'
import { removeAllButNewestDeliveries, removeDeliveriesBefore } from './delivery-history.ts'

/** Which deliveries of webhooks are kept: the finished ones of so many milliseconds, or the newest of each hook. */
export type Retention = { milliseconds: number } | { newest: number }

/** Reads a duration such as `168h`, or a number of deliveries for each hook. */
export function parseRetention(text: string): { value: Retention } | { fault: string } {
  if (/^\d{1,9}$/.test(text)) return { value: { newest: Number(text) } }
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined || milliseconds === 0)
    return { fault: 'must be a duration such as 168h, or how many deliveries to keep of each webhook' }
  return { value: { milliseconds } }
}

/** Removes finished deliveries that are not kept. */
export const cleanupHookTaskTable = (kept: Retention): CronTask => ({
  name: 'cleanup_hook_task_table',
  schedule: '@midnight',
  run: async (run) => {
    const removed = await removeAll(run, (limit) => removeSome(run.sql, kept, run.now, limit))
    return removed > 0 ? `${removed} removed` : undefined
  },
})

function removeSome(sql: Sql, kept: Retention, now: Date, limit: number): Promise<number> {
  if ('newest' in kept) return removeAllButNewestDeliveries(sql, kept.newest)
  return removeDeliveriesBefore(sql, new Date(now.getTime() - kept.milliseconds), limit)
}
