import { type CronTask, removeAll } from '../../background/cron/cron-task.ts'
import { deleteExpiredArtifacts } from './artifact-store.ts'

/** After this time without a new part an upload of a job that has ended counts as abandoned, in milliseconds. */
const abandoned = 24 * 3_600_000

/** Removes artifacts that have expired, and uploads that were never completed; `cleanup_packages` removes their contents. */
export const cleanupArtifacts: CronTask = {
  name: 'cleanup_artifacts',
  summary: 'Removes artifacts that have expired, and uploads that a job never completed.',
  schedule: '@every 1h',
  run: async (run) => {
    const removed = await removeAll(run, (limit) =>
      deleteExpiredArtifacts(run.sql, run.now, new Date(run.now.getTime() - abandoned), limit),
    )
    return removed > 0 ? `${removed} removed` : undefined
  },
}
