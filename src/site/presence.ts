import type { CronTask } from '../background/cron/cron-task.ts'
import { deleteSamplesBefore, presenceInterval, recordPresence } from './presence-store.ts'

/** How far back samples are kept and shown, in milliseconds. */
export const presenceWindow = 24 * 3_600_000

/** Counts the users online, for the chart of presence. */
export const samplePresence: CronTask = {
  name: 'sample_presence',
  schedule: '@every 10m',
  runAtStart: true,
  run: async ({ sql, now }) => {
    await recordPresence(sql, now)
    const removed = await deleteSamplesBefore(
      sql,
      new Date(now.getTime() - presenceWindow - presenceInterval),
    )
    return removed > 0 ? `${removed} old ones removed` : undefined
  },
}
