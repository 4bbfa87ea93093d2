import type { Tx } from '../../db/sql.ts'
import { finishJob, type LockedJob, lockJob } from '../run/job-store.ts'
import { lockRunOfTask } from '../run/run-store.ts'
import { settle } from '../run/settle.ts'
import type { FinalStatus } from '../run/status.ts'
import { hideRunner } from './runner-store.ts'
import { finishTask, lockTask, noteProgress, openTasksOfRunners, type StepReport } from './task-store.ts'

/** How a task has ended, when it stopped, and what is new of its steps. */
interface Ending {
  status: FinalStatus
  at: Date
  steps?: readonly StepReport[]
  /** Why the server ended it: the last sentence of its log. */
  note?: string
}

/**
 * Ends a task, its job, and what follows from it; gives false when it had ended already. A task that was being cancelled
 * is cancelled, whatever else is said of it. A runner for one job is gone with it. The run is locked first: the jobs of a
 * matrix may all fail at once, and each of them ends the others.
 */
export async function endTask(tx: Tx, id: number, ending: Ending): Promise<boolean> {
  await lockRunOfTask(tx, id)
  const job = await closeTask(tx, id, ending)
  if (job) await settle(tx, job.run_id, job.attempt)
  return job !== undefined
}

/** The same without what follows (`settle`); gives the job, undefined when the task had ended already. */
export async function closeTask(
  tx: Tx,
  id: number,
  { status, at, steps = [], note = '' }: Ending,
): Promise<LockedJob | undefined> {
  const task = await lockTask(tx, id)
  if (!task) return undefined
  if (steps.length > 0) await noteProgress(tx, id, steps, tx.now)
  const ended = task.status === 'cancelling' ? 'cancelled' : status
  if (!(await finishTask(tx, id, { status: ended, at, note }))) return undefined
  const job = await lockJob(tx, task.job_id)
  await finishJob(tx, task.job_id, ended, at)
  if (task.is_ephemeral) await hideRunner(tx, task.runner_id)
  return job
}

/** Fails what runners that have gone were working on: nobody would hear of it again. */
export async function endTasksOf(tx: Tx, runners: readonly number[]): Promise<void> {
  const note = 'The runner was deleted while it worked on this job.'
  for (const task of await openTasksOfRunners(tx, runners)) {
    await endTask(tx, task, { status: 'failure', at: tx.now, note })
  }
}
