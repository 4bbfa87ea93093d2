import type { Tx } from '../../db/sql.ts'
import { lockRunOfTask } from '../run/run-store.ts'
import { advanceRun } from '../run/state.ts'
import { closeTask, type Ending } from './task-closing.ts'
import { openTasksOfRunners } from './task-store.ts'

/**
 * Ends a task and its job and advances the run; returns false when the task had already ended. A task in `cancelling`
 * ends as cancelled, whatever status the caller passes. An ephemeral runner is deleted with its task. Locks the run
 * first: the jobs of a matrix may all fail at once, and each of them ends the others.
 */
export async function endTask(tx: Tx, id: number, ending: Ending): Promise<boolean> {
  await lockRunOfTask(tx, id)
  const job = await closeTask(tx, id, ending)
  if (job) await advanceRun(tx, job.run_id, job.attempt)
  return job !== undefined
}

/** Fails the open tasks of deleted runners, since nothing will report on them again. */
export async function endTasksOf(tx: Tx, runners: readonly number[]): Promise<void> {
  const note = 'The runner was deleted while it worked on this job.'
  for (const task of await openTasksOfRunners(tx, runners)) {
    await endTask(tx, task, { status: 'failure', at: tx.now, note })
  }
}
