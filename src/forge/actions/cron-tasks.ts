import { BOT_ID } from '../../actions/run/bot.ts'
import {
  cancelAbandoned,
  cleanLogs,
  removeLostRunners,
  removeOldRuns,
  type Sweep,
  stopOverdue,
  stopTimedOut,
  stopZombies,
} from '../../actions/run/sweeps.ts'
import type { ClockWatch } from '../../background/clock-watch.ts'
import type { CronTask } from '../../background/cron/cron-task.ts'
import type { Sql } from '../../db/sql.ts'
import { accountById } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { printUser, type User } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { printRepository, type Repository } from '../repos/repo.shape.ts'
import { repositoryById } from '../repos/repo-store.ts'

/** Limits and retention times of Actions, in milliseconds. */
export interface ActionsRetention {
  /** Maximum time of one job. */
  longestJob: number
  logsKept: number
  /** Undefined: runs are not deleted. */
  runsKept: number | undefined
}

/** The periodic tasks of Actions: they finish what runners leave unfinished and delete old rows. */
export function actionsTasks(
  { longestJob, logsKept, runsKept }: ActionsRetention,
  clockWatch: ClockWatch,
): CronTask[] {
  return [
    withGrace(clockWatch, sweepTask('stop_zombie_tasks', '@every 5m', 'stopped', stopZombies)),
    sweepTask('stop_endless_tasks', '@every 30m', 'stopped', (sweep) => stopOverdue(sweep, longestJob)),
    sweepTask('stop_timed_out_tasks', '@every 1m', 'stopped', stopTimedOut),
    sweepTask('cancel_abandoned_jobs', '@every 6h', 'cancelled', cancelAbandoned),
    sweepTask('cleanup_actions', '@midnight', 'logs removed', (sweep) => cleanLogs(sweep, logsKept)),
    sweepTask('cleanup_actions_runners', '@every 1h', 'removed', removeLostRunners),
    ...(runsKept === undefined ? [] : [cleanupRuns(runsKept)]),
  ]
}

const cleanupRuns = (runsKept: number) =>
  sweepTask('cleanup_actions_runs', '@midnight', 'removed', (sweep) => removeOldRuns(sweep, runsKept))

function sweepTask(
  name: string,
  schedule: string,
  done: string,
  sweep: (sweep: Sweep) => Promise<number>,
): CronTask {
  return {
    name,
    schedule,
    run: async (run) => {
      const count = await sweep(run)
      return count > 0 ? `${count} ${done}` : undefined
    },
  }
}

/**
 * Milliseconds in which runners may report first: after a start, because they could not do so while the server was
 * down, and after the clock was set, because reports of a minute ago are then an hour old.
 */
const grace = 600_000

function withGrace(clockWatch: ClockWatch, task: CronTask): CronTask {
  return {
    ...task,
    run: async (run) =>
      clockWatch.steadyFor() < grace
        ? 'nothing yet: runners may report for ten minutes after a start, and after the clock was set'
        : task.run(run),
  }
}

/** Returns the repository and sender of a schedule event's payload. `host`: base URL of links. */
export function describeSchedule(sql: Sql, host: string) {
  return async (id: number): Promise<{ repository: Repository; sender: User } | undefined> => {
    const row = await repositoryById(sql, id)
    const owner = row && (await accountById(sql, row.owner_id))
    if (!owner) return undefined
    return {
      repository: printRepository(row, owner, { host, level: LEVELS.none, known: false }),
      sender: printUser((await accountById(sql, BOT_ID)) ?? ghost, undefined, host),
    }
  }
}
