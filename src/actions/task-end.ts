import type { Tx } from '../db/sql.ts'
import { finishJob, lockJob } from './job-store.ts'
import { hideRunner } from './runner-store.ts'
import { settle } from './settle.ts'
import type { FinalStatus } from './status.ts'
import { finishTask, lockTask, type StoredTask } from './task-store.ts'

/**
 * Ends a task, its job, and what follows from it; gives false when it had ended already. `at`: when it stopped. A task that
 * was being cancelled is cancelled, whatever else is said of it. A runner for one job is gone with it.
 */
export async function endTask(
  tx: Tx,
  id: number,
  { status, at }: { status: FinalStatus; at: Date },
): Promise<boolean> {
  const task = await lockTask(tx, id)
  if (!task) return false
  const ended = task.status === 'cancelling' ? 'cancelled' : status
  if (!(await finishTask(tx, id, ended, at))) return false
  await endJob(tx, task, ended, at)
  if (task.is_ephemeral) await hideRunner(tx, task.runner_id)
  return true
}

async function endJob(tx: Tx, { job_id }: StoredTask, status: FinalStatus, at: Date): Promise<void> {
  const job = await lockJob(tx, job_id)
  if (!job) return
  await finishJob(tx, job.id, status, at)
  await settle(tx, job.run_id, job.attempt)
}
