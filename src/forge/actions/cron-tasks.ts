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
import type { CronTask } from '../../background/cron/cron-task.ts'

/** How long Actions keeps and waits, in milliseconds. */
export interface ActionsRetention {
  /** Longest time of one job. */
  longestJob: number
  logsKept: number
  /** Absent: runs are kept. */
  runsKept: number | undefined
}

/** The tasks of Actions: what runners, and those who wait for them, leave unfinished. */
export function actionsTasks({ longestJob, logsKept, runsKept }: ActionsRetention): CronTask[] {
  return [
    afterStart(sweeping('stop_zombie_tasks', '@every 5m', 'stopped', stopZombies)),
    sweeping('stop_endless_tasks', '@every 30m', 'stopped', (sweep) => stopOverdue(sweep, longestJob)),
    sweeping('stop_timed_out_tasks', '@every 1m', 'stopped', stopTimedOut),
    sweeping('cancel_abandoned_jobs', '@every 6h', 'cancelled', cancelAbandoned),
    sweeping('cleanup_actions', '@midnight', 'logs removed', (sweep) => cleanLogs(sweep, logsKept)),
    sweeping('cleanup_actions_runners', '@every 1h', 'removed', removeLostRunners),
    ...(runsKept === undefined
      ? []
      : [
          sweeping('cleanup_actions_runs', '@midnight', 'removed', (sweep) => removeOldRuns(sweep, runsKept)),
        ]),
  ]
}

function sweeping(
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

/** Seconds that runners have after a start: while no server was there, none of them could give a sign of life. */
const grace = 600

function afterStart(task: CronTask): CronTask {
  return {
    ...task,
    run: async (run) =>
      process.uptime() < grace ? 'nothing yet: runners have ten minutes after a start' : task.run(run),
  }
}
