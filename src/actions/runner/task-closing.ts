import type { Tx } from '../../db/sql.ts'
import { finishJob, type LockedJob, lockJob } from '../run/job-store.ts'
import type { FinalStatus } from '../run/status.ts'
import { hideRunner } from './runner-store.ts'
import { finishTask, lockTask, type StepReport, updateProgress } from './task-store.ts'

/** The end of a task. `at`: when it stopped; `steps`: their last reported states. */
export interface Ending {
  status: FinalStatus
  at: Date
  steps?: readonly StepReport[]
  /** Why the server ended it: becomes the last line of the log. */
  note?: string
}

/** Ends a task and its job, without advancing the run. Returns the job; undefined when the task had already ended. */
export async function closeTask(
  tx: Tx,
  id: number,
  { status, at, steps = [], note = '' }: Ending,
): Promise<LockedJob | undefined> {
  const task = await lockTask(tx, id)
  if (!task) return undefined
  if (steps.length > 0) await updateProgress(tx, id, steps, tx.now)
  const finalStatus = task.status === 'cancelling' ? 'cancelled' : status
  if (!(await finishTask(tx, id, { status: finalStatus, at, note }))) return undefined
  const job = await lockJob(tx, task.job_id)
  await finishJob(tx, task.job_id, finalStatus, at)
  if (task.is_ephemeral) await hideRunner(tx, task.runner_id)
  return job
}
