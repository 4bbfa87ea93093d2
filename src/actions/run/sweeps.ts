import { removeAll } from '../../background/cron/cron-task.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { deleteHiddenRunners, hideRunner, lostEphemeralRunners } from '../runner/runner-store.ts'
import { endTask } from '../runner/task-end.ts'
import { deleteOldTaskSecrets } from '../runner/task-secret-store.ts'
import {
  closeLog,
  closeOldLogs,
  expireLogs,
  lockTask,
  type StoredTask,
  silentTasks,
  taskStateOfRunner,
  tasksStartedBefore,
  tasksTimedOutBefore,
} from '../runner/task-store.ts'
import { abandonedJobs } from './attempt-job-store.ts'
import { finishJob, lockJob } from './job-store.ts'
import { deleteRunsBefore } from './run-store.ts'
import { advanceRun } from './state.ts'

/**
 * Periodic clean-up of tasks, jobs, runners and logs. Each function returns the number of rows; several processes may run
 * it at the same time.
 */

/** The input of a sweep. `signal`: the sweep stops and leaves the rest to the next one. */
export interface Sweep {
  sql: Sql
  begin: Begin
  now: Date
  signal: AbortSignal
}

const minute = 60_000
const hour = 60 * minute

/** How long a sweep waits before it acts, in milliseconds. */
const timeouts = {
  /** For a report on a task. */
  silence: 10 * minute,
  /** For the runner to end a job itself after its `timeout-minutes`. */
  timeout: 2 * minute,
  /** For a runner or a concurrency group, per job. */
  job: 24 * hour,
  /** For the last lines of a log, after the end of its task. */
  log: hour,
  /** For contact from an ephemeral runner. */
  ephemeral: 24 * hour,
  /** Before the row of a deleted runner is deleted. */
  hidden: hour,
}

/** Rows that are processed at a time. */
const batchSize = 100

const ago = ({ now }: Sweep, milliseconds: number) => new Date(now.getTime() - milliseconds)

/** Ends tasks whose runner no longer reports: they fail, or are cancelled if they were being cancelled. */
export function stopZombies(sweep: Sweep): Promise<number> {
  const since = ago(sweep, timeouts.silence)
  return stopTasks(sweep, {
    find: (limit) => silentTasks(sweep.sql, since, limit),
    // It may have reported since the query.
    stillApplies: (task) => Date.parse(task.updated_at) < since.getTime(),
    note: 'The runner did not report for ten minutes, so the server ended the job.',
  })
}

/** Fails tasks that run for more than `maxTime` milliseconds. */
export function stopOverdue(sweep: Sweep, maxTime: number): Promise<number> {
  const before = ago(sweep, maxTime)
  return stopTasks(sweep, {
    find: (limit) => tasksStartedBefore(sweep.sql, before, limit),
    note: 'The job took longer than this server allows, so the server ended it.',
  })
}

/**
 * Fails tasks that exceed their `timeout-minutes`. Runners from 2.0 end them first; the extra time lets them run the
 * final steps of the job.
 */
export function stopTimedOut(sweep: Sweep): Promise<number> {
  const before = ago(sweep, timeouts.timeout)
  return stopTasks(sweep, {
    find: (limit) => tasksTimedOutBefore(sweep.sql, before, limit),
    note: 'The job took longer than its timeout-minutes, so the server ended it.',
  })
}

/** Which tasks a sweep ends, and the last line of their logs. */
interface TaskSweep {
  find: (limit: number) => Promise<number[]>
  /** Checked again once the task is locked; absent: the condition cannot change. */
  stillApplies?: (task: StoredTask) => boolean
  note: string
}

async function stopTasks(sweep: Sweep, { find, stillApplies, note }: TaskSweep): Promise<number> {
  return forAll(sweep, find, (id) =>
    sweep.begin(async (tx) => {
      const task = await lockTask(tx, id)
      if (!task || stillApplies?.(task) === false) return false
      if (!(await endTask(tx, id, { status: 'failure', at: tx.now, note }))) return false
      await closeLog(tx, id)
      return true
    }),
  )
}

/** Cancels jobs that no runner took for a day. */
export async function cancelAbandoned(sweep: Sweep): Promise<number> {
  const { sql, begin } = sweep
  const since = ago(sweep, timeouts.job)
  return forAll(
    sweep,
    (limit) => abandonedJobs(sql, since, limit),
    (id) =>
      begin(async (tx) => {
        const job = await lockJob(tx, id)
        if (!job || (job.status !== 'queued' && job.status !== 'blocked')) return false
        if (!(await finishJob(tx, id, 'cancelled', tx.now))) return false
        await advanceRun(tx, job.run_id, job.attempt)
        return true
      }),
  )
}

/** Deletes ephemeral runners without contact, and the rows of runners that were deleted before. */
export async function removeLostRunners(sweep: Sweep): Promise<number> {
  const { sql, begin } = sweep
  const since = ago(sweep, timeouts.ephemeral)
  const removed = await forAll(
    sweep,
    (limit) => lostEphemeralRunners(sql, since, limit),
    (id) =>
      // The sweep of silent tasks ends its task first.
      begin(async (tx) => !(await taskStateOfRunner(tx, id)).open && hideRunner(tx, id)),
  )
  await deleteHiddenRunners(sql, ago(sweep, timeouts.hidden))
  return removed
}

/**
 * Closes logs that old runners leave open, deletes the secrets that the masks of closed logs used, and deletes logs older
 * than `maxAge` milliseconds.
 */
export async function cleanLogs(sweep: Sweep, maxAge: number): Promise<number> {
  await closeOldLogs(sweep.sql, ago(sweep, timeouts.log))
  await deleteOldTaskSecrets(sweep.sql, ago(sweep, timeouts.log))
  return removeAll(sweep, (limit) => expireLogs(sweep.sql, ago(sweep, maxAge), limit), batchSize)
}

/** Deletes runs that ended more than `maxAge` milliseconds ago. */
export function removeOldRuns(sweep: Sweep, maxAge: number): Promise<number> {
  return removeAll(sweep, (limit) => deleteRunsBefore(sweep.sql, ago(sweep, maxAge), limit), batchSize)
}

/** Ends rows in batches until a batch contains some that do not end; returns how many have ended. */
function forAll(
  sweep: Sweep,
  find: (limit: number) => Promise<number[]>,
  end: (id: number) => Promise<boolean>,
): Promise<number> {
  const endBatch = async (limit: number) => {
    let ended = 0
    for (const id of await find(limit)) {
      sweep.signal.throwIfAborted()
      if (await end(id)) ended++
    }
    return ended
  }
  return removeAll(sweep, endBatch, batchSize)
}
