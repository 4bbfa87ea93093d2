import { onlyRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'

/** Figures that only the database knows. */
export interface DatabaseFigures {
  /** Webhook deliveries that wait for an attempt. */
  deliveries: number
  /** Mails that wait for an attempt, and those that were given up. */
  mails: number
  failedMails: number
  /** Events of the outbox that are not dispatched yet. */
  events: number
  /** Age of the oldest of them in seconds. */
  eventAge: number
  runners: number
  jobs: number
  /** Sessions of the database: all, those that run a statement, those whose statement waits for a lock. */
  connections: number
  active: number
  locked: number
}

/** Up to how many rows are counted: a scrape must stay fast when a queue has grown. */
const maxCount = 10_000

/** A runner counts as online for this long after a call, in milliseconds. */
const onlineTime = 60_000

export const databaseFigures = (sql: Sql, now: Date) =>
  onlyRow(sql<[DatabaseFigures]>`
    select
      (select count(*) from (select from forge.hook_delivery where state = 'waiting' limit ${maxCount}) as d)
        as deliveries,
      (select count(*) from (select from forgehall.mail where state = 'waiting' limit ${maxCount}) as m) as mails,
      (select count(*) from (select from forgehall.mail where state = 'failed' limit ${maxCount}) as m) as "failedMails",
      (select count(*) from (select from forge.event limit ${maxCount}) as e) as events,
      (select coalesce(greatest(extract(epoch from ${now}::timestamptz - min(created_at)), 0), 0)::float8
        from (select created_at from forge.event order by id limit 100) as o) as "eventAge",
      (select count(*)
        from forge.action_runner
        where deleted_at is null and last_online > ${new Date(now.getTime() - onlineTime)}) as runners,
      (select count(*) from (select from forge.action_job where status = 'queued' limit ${maxCount}) as j) as jobs,
      connections, active, locked
    from (
      select count(*) as connections, count(*) filter (where state = 'active') as active,
        count(*) filter (where wait_event_type = 'Lock') as locked
      from pg_stat_activity
      where datname = current_database()
    ) as session`)
