import type { Sql } from '../db/sql.ts'

/** Length of the interval of a sample, in milliseconds. */
export const presenceInterval = 600_000

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

/** Deletes the samples before a moment; returns how many. */
export async function deleteSamplesBefore(sql: Sql, at: Date): Promise<number> {
  const deleted = await sql`
    delete from site.presence_sample
    where at < ${at}`
  return deleted.count
}
