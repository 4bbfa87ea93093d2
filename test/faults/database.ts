import type { Fault } from './support/fault.ts'
import { last, onPostgres } from './support/on-postgres.ts'

export const databaseKilled: Fault = {
  name: 'database-killed',
  title: 'every process of PostgreSQL killed with SIGKILL, started again 3 s later',
  bring: (ground) =>
    onPostgres(ground, async ({ database }) => {
      await database.kill()
      await last()
      await database.start()
    }),
}

export const databaseStopped: Fault = {
  name: 'database-stopped',
  title: 'PostgreSQL stopped (`pg_ctl stop -m fast`), started again 3 s later',
  bring: (ground) =>
    onPostgres(ground, async ({ database }) => {
      await database.stop()
      await last()
      await database.start()
    }),
}

/** Longer than `DATABASE_TIMEOUT`, in milliseconds. */
const paused = 20_000

export const databasePaused: Fault = {
  name: 'database-paused',
  title: 'every process of PostgreSQL stopped with SIGSTOP for 20 s',
  bring: (ground) =>
    onPostgres(ground, async ({ database }) => {
      const goOn = await database.pause()
      try {
        await last(paused)
      } finally {
        goOn()
      }
    }),
}
