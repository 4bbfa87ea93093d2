import { type CronTask, removeAll } from '../background/cron/cron-task.ts'
import { deleteMailsBefore } from './mail-store.ts'

/** How long the rows of mails are kept that were sent or given up, in milliseconds. */
const retention = 30 * 24 * 3_600_000

export const deleteOldMails: CronTask = {
  name: 'delete_old_mails',
  summary: 'Deletes what is kept of mails that were sent or given up a month ago.',
  schedule: '@every 24h',
  runAtStart: true,
  run: async (run) => {
    const before = new Date(run.now.getTime() - retention)
    const deleted = await removeAll(run, (limit) => deleteMailsBefore(run.sql, before, limit))
    return deleted > 0 ? `${deleted} deleted` : undefined
  },
}
