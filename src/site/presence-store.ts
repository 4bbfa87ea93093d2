import { rowCount } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'

/** Length of the interval of a sample, in milliseconds. */
export const presenceInterval = 600_000

/** How long samples are stored and shown, in milliseconds. */
export const presenceWindow = 24 * 3_600_000

/** Stores the number of users with an open session, or keeps a larger one of the same interval. */
export async function recordPresence(sql: Sql, now: Date): Promise<void> {
  const at = new Date(Math.floor(now.getTime() / presenceInterval) * presenceInterval)
  await sql`
    insert into site.presence_sample as stored (at, users)
    select ${at}, count(distinct visitor_id)
    from site.session
    where ended_at is null
    on conflict on constraint presence_sample_pkey do update
    set users = greatest(stored.users, excluded.users)`
}

/** Deletes the samples before a moment; returns how many. */
export const deleteSamplesBefore = (sql: Sql, at: Date) =>
  rowCount(sql`
    delete from site.presence_sample
    where at < ${at}`)
