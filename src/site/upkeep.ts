import { type CronTask, removeAll } from '../background/cron/cron-task.ts'
import { RETENTION } from '../http/idempotency/idempotency.ts'
import { deleteKeysBefore } from '../http/idempotency/idempotency-store.ts'
import type { RecordChange } from './change.ts'
import { publishScheduled } from './drafts.ts'
import { deleteSamplesBefore, presenceInterval, presenceWindow, recordPresence } from './presence-store.ts'
import { deleteFormsBefore } from './sent-form-store.ts'
import { endSessionsBefore } from './session-store.ts'
import { deleteRemovedBefore } from './trash-store.ts'

/** The dependencies of the tasks. */
interface TaskDeps {
  /** In milliseconds; absent: sessions stay open until clients end them. */
  sessionMaxAge: number | undefined
  /** Records the posts that a task publishes. */
  record: RecordChange
}

/** Scheduled tasks of the site. */
export function siteTasks({ sessionMaxAge, record }: TaskDeps): CronTask[] {
  const tasks = [forgetIdempotencyKeys, samplePresence, publishScheduled(record), emptyTrash]
  return sessionMaxAge === undefined ? tasks : [endForgottenSessions(sessionMaxAge), ...tasks]
}

/**
 * Deletes the rows that recognize a repeated request, after a day: the replies stored under an `Idempotency-Key`, for
 * both APIs, and the forms of pages.
 */
const forgetIdempotencyKeys: CronTask = {
  name: 'forget_idempotency_keys',
  summary: 'Deletes stored answers to repeated requests and forms that are a day old.',
  schedule: '@every 1h',
  runAtStart: true,
  run: async (run) => {
    const before = new Date(run.now.getTime() - RETENTION)
    const keys = await removeAll(run, (limit) => deleteKeysBefore(run.sql, before, limit))
    const forms = await removeAll(run, (limit) => deleteFormsBefore(run.sql, before, limit))
    return keys + forms > 0 ? `${keys + forms} forgotten` : undefined
  },
}

/** Counts the users who are online, for the chart of presence. */
const samplePresence: CronTask = {
  name: 'sample_presence',
  summary: 'Counts present users for the presence chart.',
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

/** How long posts and items stay in the trash, in days. */
export const trashDays = 30

/** Deletes posts and items permanently that have been in the trash for that long. */
const emptyTrash: CronTask = {
  name: 'empty_trash',
  summary: 'Deletes posts and media that were removed more than 30 days ago.',
  schedule: '@every 6h',
  runAtStart: true,
  run: async (run) => {
    const before = new Date(run.now.getTime() - trashDays * 24 * 3_600_000)
    const posts = await removeAll(run, (limit) => deleteRemovedBefore(run.sql, 'news', before, limit))
    const items = await removeAll(run, (limit) => deleteRemovedBefore(run.sql, 'media', before, limit))
    return posts + items > 0 ? `${posts} posts and ${items} media items deleted` : undefined
  },
}

/** Ends sessions that clients did not end; up to a tenth of the maximum age later than due. */
function endForgottenSessions(maxAge: number): CronTask {
  const seconds = Math.min(60, Math.max(1, Math.round(maxAge / 10_000)))
  return {
    name: 'end_forgotten_sessions',
    summary: 'Ends presence sessions that clients did not end.',
    schedule: `@every ${seconds}s`,
    runAtStart: true,
    run: async ({ sql, now }) => {
      const ended = await endSessionsBefore(sql, new Date(now.getTime() - maxAge), now)
      return ended > 0 ? `${ended} ended` : undefined
    },
  }
}
