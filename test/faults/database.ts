import type { Fault } from './support/fault.ts'
import { last, onPostgres } from './support/on-postgres.ts'

export const databaseKilled: Fault = {
  name: 'database-killed',
  title: 'every process of PostgreSQL killed with SIGKILL, started again 3 s later',
  bring: (context) =>
    onPostgres(context, async ({ database }) => {
      await database.kill()
      await last()
      await database.start()
    }),
}

export const databaseStopped: Fault = {
  name: 'database-stopped',
  title: 'PostgreSQL stopped (`pg_ctl stop -m fast`), started again 3 s later',
  bring: (context) =>
    onPostgres(context, async ({ database }) => {
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
  bring: (context) =>
    onPostgres(context, async ({ database }) => {
      const goOn = await database.pause()
      try {
        await last(paused)
      } finally {
        goOn()
      }
    }),
}

/** How a database without enough processor time runs: how often it stands still, and for how long, in milliseconds. */
const starved = { turns: 20, still: 400, runs: 100 }

export const databaseSlow: Fault = {
  name: 'database-slow',
  title: `a slow PostgreSQL: for 10 s, every process of it stopped with SIGSTOP for ${starved.still} ms of each 500 ms`,
  bring: (context) =>
    onPostgres(context, async ({ database }) => {
      for (let turn = 0; turn < starved.turns; turn++) {
        const goOn = await database.pause()
        try {
          await last(starved.still)
        } finally {
          goOn()
        }
        await last(starved.runs)
      }
    }),
}
