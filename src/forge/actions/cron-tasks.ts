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
    ...jobTasks(longestJob, clockWatch),
    sweepTask(
      {
        name: 'cleanup_actions',
        schedule: '@midnight',
        summary: 'Closes logs that runners left open, and removes old ones.',
        done: 'logs removed',
      },
      (sweep) => cleanLogs(sweep, logsKept),
    ),
    sweepTask(
      {
        name: 'cleanup_actions_runners',
        schedule: '@every 1h',
        summary: 'Removes single-job runners that never took a job.',
        done: 'removed',
      },
      removeLostRunners,
    ),
    ...(runsKept === undefined ? [] : [cleanupRuns(runsKept)]),
  ]
}

/** Those that end jobs. */
function jobTasks(longestJob: number, clockWatch: ClockWatch): CronTask[] {
  return [
    withGrace(
      clockWatch,
      sweepTask(
        {
          name: 'stop_zombie_tasks',
          schedule: '@every 5m',
          summary: 'Ends jobs whose runner has not reported for ten minutes.',
          done: 'stopped',
        },
        stopZombies,
      ),
    ),
    sweepTask(
      {
        name: 'stop_endless_tasks',
        schedule: '@every 30m',
        summary: 'Ends jobs that take longer than the server allows.',
        done: 'stopped',
      },
      (sweep) => stopOverdue(sweep, longestJob),
    ),
    sweepTask(
      {
        name: 'stop_timed_out_tasks',
        schedule: '@every 1m',
        summary: 'Ends jobs that their runner has not ended at their timeout.',
        done: 'stopped',
      },
      stopTimedOut,
    ),
    sweepTask(
      {
        name: 'cancel_abandoned_jobs',
        schedule: '@every 6h',
        summary: 'Cancels jobs that no runner has taken for a day.',
        done: 'cancelled',
      },
      cancelAbandoned,
    ),
  ]
}

const cleanupRuns = (runsKept: number) =>
  sweepTask(
    { name: 'cleanup_actions_runs', schedule: '@midnight', summary: 'Removes old runs.', done: 'removed' },
    (sweep) => removeOldRuns(sweep, runsKept),
  )

/** A task that counts what it has `done`. */
function sweepTask(
  { done, ...task }: Omit<CronTask, 'run'> & { done: string },
  sweep: (sweep: Sweep) => Promise<number>,
): CronTask {
  return {
    ...task,
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
