import type { CronTask } from '../background/cron/cron-task.ts'
import type { Sql } from '../db/sql.ts'

/** Length of the interval of a sample, in milliseconds. */
export const presenceInterval = 600_000

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

/** Stores the number of users with an open session; of several counts in one interval the largest stays. */
export async function recordPresence(sql: Sql, now: Date): Promise<void> {
  const at = new Date(Math.floor(now.getTime() / presenceInterval) * presenceInterval)
  await sql`
    insert into site.presence_sample as kept (at, users)
    select ${at}, count(distinct visitor_id)
    from site.session
    where ended_at is null
    on conflict on constraint presence_sample_pkey do update
    set users = greatest(kept.users, excluded.users)`
}

async function deleteSamplesBefore(sql: Sql, at: Date): Promise<number> {
  const deleted = await sql`
    delete from site.presence_sample
    where at < ${at}`
  return deleted.count
}
