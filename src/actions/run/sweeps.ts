import { removeAll } from '../../background/cron/cron-task.ts'
import type { Begin, Fragment, Sql } from '../../db/sql.ts'
import { hideRunner, lostEphemeralRunners, removeHiddenRunners } from '../runner/runner-store.ts'
import { endTask } from '../runner/task-end.ts'
import {
  expireLogs,
  lockTask,
  type StoredTask,
  sealLog,
  sealOldLogs,
  tasksOfRunner,
} from '../runner/task-store.ts'
import { abandonedJobs, finishJob, lockJob } from './job-store.ts'
import { removeRunsBefore } from './run-store.ts'
import { advanceRun } from './state.ts'

/** What becomes of what nobody brings to its end. Each gives how many there were; several processes may do it at once. */

/** What a sweep stands on. `signal`: it is to stop where it can be taken up again. */
export interface Sweep {
  sql: Sql
  begin: Begin
  now: Date
  signal: AbortSignal
}

const minute = 60_000
const hour = 60 * minute

/** How long each is waited for, in milliseconds. */
const patience = {
  /** A sign of life about a task. */
  silence: 10 * minute,
  /** A runner that is to end a job whose `timeout-minutes` are over. */
  timeout: 2 * minute,
  /** A runner, or a group, for a job. */
  job: 24 * hour,
  /** The last lines of a log, after the end of its task. */
  log: hour,
  /** A runner for one job. */
  ephemeral: 24 * hour,
  /** What is left of a runner that was deleted. */
  hidden: hour,
}

/** Rows that are looked for at a time. */
const batch = 100

const ago = ({ now }: Sweep, milliseconds: number) => new Date(now.getTime() - milliseconds)

/** Tasks whose runner is silent fail, and those that were being cancelled are. */
export function stopZombies(sweep: Sweep): Promise<number> {
  const since = ago(sweep, patience.silence)
  return stopTasks(sweep, {
    find: (limit) => openTasks(sweep.sql, sweep.sql`task.updated_at < ${since}`, limit),
    // It may have been heard of since it was found.
    holds: (task) => Date.parse(task.updated_at) < since.getTime(),
    note: 'The runner was not heard of for ten minutes, so the server ended the job.',
  })
}

/** Tasks that have taken longer than any may fail. `longest` in milliseconds. */
export function stopOverdue(sweep: Sweep, longest: number): Promise<number> {
  const before = ago(sweep, longest)
  return stopTasks(sweep, {
    find: (limit) => openTasks(sweep.sql, sweep.sql`task.started_at < ${before}`, limit),
    note: 'The job took longer than any job may take on this server, so the server ended it.',
  })
}

/**
 * Tasks whose `timeout-minutes` are over fail. Runners from 2.0 end them first, and have time to run what runs at the end
 * of a job.
 */
export function stopTimedOut(sweep: Sweep): Promise<number> {
  const { sql } = sweep
  const before = ago(sweep, patience.timeout)
  const isOver = sql`task.started_at + make_interval(mins => job.timeout_minutes) < ${before}`
  return stopTasks(sweep, {
    find: (limit) => openTasks(sql, isOver, limit),
    note: 'The job took longer than its timeout-minutes, so the server ended it.',
  })
}

/** Which tasks a sweep ends, and the sentence that their logs end with. */
interface Lost {
  find: (limit: number) => Promise<number[]>
  /** Whether it still holds once the task is locked; absent: it cannot change. */
  holds?: (task: StoredTask) => boolean
  note: string
}

async function stopTasks(sweep: Sweep, { find, holds, note }: Lost): Promise<number> {
  return forAll(sweep, find, (id) =>
    sweep.begin(async (tx) => {
      const task = await lockTask(tx, id)
      if (!task || holds?.(task) === false) return false
      if (!(await endTask(tx, id, { status: 'failure', at: tx.now, note }))) return false
      await sealLog(tx, id)
      return true
    }),
  )
}

/** Jobs that nobody took for a day are cancelled. */
export async function cancelAbandoned(sweep: Sweep): Promise<number> {
  const { sql, begin } = sweep
  const since = ago(sweep, patience.job)
  return forAll(
    sweep,
    (limit) => abandonedJobs(sql, since, limit),
    (id) =>
      begin(async (tx) => {
        const job = await lockJob(tx, id)
        if (!job || (job.status !== 'waiting' && job.status !== 'blocked')) return false
        if (!(await finishJob(tx, id, 'cancelled', tx.now))) return false
        await advanceRun(tx, job.run_id, job.attempt)
        return true
      }),
  )
}

/** Runners for one job that never came for it are gone, and so is what was left of others that are. */
export async function removeLostRunners(sweep: Sweep): Promise<number> {
  const { sql, begin } = sweep
  const since = ago(sweep, patience.ephemeral)
  const hidden = await forAll(
    sweep,
    (limit) => lostEphemeralRunners(sql, since, limit),
    (id) =>
      // What it still works on is brought to its end by the sweep of silent tasks first.
      begin(async (tx) => !(await tasksOfRunner(tx, id)).open && hideRunner(tx, id)),
  )
  await removeHiddenRunners(sql, ago(sweep, patience.hidden))
  return hidden
}

/** Ends logs that old runners leave open, and removes those that are older than `kept` milliseconds. */
export async function cleanLogs(sweep: Sweep, kept: number): Promise<number> {
  await sealOldLogs(sweep.sql, ago(sweep, patience.log))
  return removeAll(sweep, (limit) => expireLogs(sweep.sql, ago(sweep, kept), limit), batch)
}

/** Removes runs that ended longer ago than `kept` milliseconds. */
export function removeOldRuns(sweep: Sweep, kept: number): Promise<number> {
  return removeAll(sweep, (limit) => removeRunsBefore(sweep.sql, ago(sweep, kept), limit), batch)
}

/** Finds and ends, one by one, until what is found is what could not be ended. */
async function forAll(
  { signal }: Sweep,
  find: (limit: number) => Promise<number[]>,
  end: (id: number) => Promise<boolean>,
): Promise<number> {
  let all = 0
  for (;;) {
    let ended = 0
    for (const id of await find(batch)) {
      signal.throwIfAborted()
      if (await end(id)) ended++
    }
    all += ended
    if (ended < batch) return all
  }
}

/** Tasks that go on and meet a condition about `task` and `job`; the oldest first. */
async function openTasks(sql: Sql, condition: Fragment, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select task.id
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    where task.status in ('running', 'cancelling') and ${condition}
    order by task.id
    limit ${limit}`
  return rows.map(({ id }) => id)
}
