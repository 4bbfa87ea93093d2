import { type CronTask, removeAll } from '../background/cron/cron-task.ts'
import { KEPT } from '../http/idempotency/idempotency.ts'
import { deleteKeysBefore } from '../http/idempotency/idempotency-store.ts'
import { samplePresence } from './presence.ts'
import { endSessionsBefore } from './sessions.ts'

/** Scheduled tasks of the site. `sessionMaxAge` in milliseconds; absent: sessions stay open until clients end them. */
export function siteTasks({ sessionMaxAge }: { sessionMaxAge: number | undefined }): CronTask[] {
  const tasks = [forgetIdempotencyKeys, samplePresence]
  return sessionMaxAge === undefined ? tasks : [endForgottenSessions(sessionMaxAge), ...tasks]
}

/** Deletes the replies stored under an `Idempotency-Key` more than a day ago, for both APIs. */
const forgetIdempotencyKeys: CronTask = {
  name: 'forget_idempotency_keys',
  schedule: '@every 1h',
  runAtStart: true,
  run: async (run) => {
    const before = new Date(run.now.getTime() - KEPT)
    const count = await removeAll(run, (limit) => deleteKeysBefore(run.sql, before, limit))
    return count > 0 ? `${count} forgotten` : undefined
  },
}

/** Ends sessions that clients did not end; up to a tenth of the maximum age later than due. */
function endForgottenSessions(maxAge: number): CronTask {
  const seconds = Math.min(60, Math.max(1, Math.round(maxAge / 10_000)))
  return {
    name: 'end_forgotten_sessions',
    schedule: `@every ${seconds}s`,
    runAtStart: true,
    run: async ({ sql, now }) => {
      const ended = await endSessionsBefore(sql, new Date(now.getTime() - maxAge), now)
      return ended > 0 ? `${ended} ended` : undefined
    },
  }
}
