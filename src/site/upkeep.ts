import type { CronTask } from '../background/cron/cron-task.ts'
import { samplePresence } from './presence.ts'
import { endSessionsBefore } from './sessions.ts'

/** Scheduled tasks of the site. `sessionMaxAge` in milliseconds; absent: sessions stay open until clients end them. */
export function siteTasks({ sessionMaxAge }: { sessionMaxAge: number | undefined }): CronTask[] {
  const tasks = [samplePresence]
  return sessionMaxAge === undefined ? tasks : [endForgottenSessions(sessionMaxAge), ...tasks]
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
