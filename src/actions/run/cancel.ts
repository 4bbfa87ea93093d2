import type { Tx } from '../../db/sql.ts'
import { closeTask } from '../runner/task-end.ts'
import { markTaskCancelling } from '../runner/task-store.ts'
import { holdIdleJobs, jobsOfAttempt, lockJob, markCancelling, moveJobs } from './job-store.ts'
import { type AttemptRef, settle } from './settle.ts'
import { isFinal, type Status } from './status.ts'

/** Ends a job, or asks its runner to; gives false when it had ended. */
export async function cancelJob(tx: Tx, id: number): Promise<boolean> {
  await stopWaiting(tx, [id])
  const ended = await stopTasks(tx, [id])
  await stopWaiting(tx, [id])
  const job = await lockJob(tx, id)
  if (!job) return false
  await settle(tx, job.run_id, job.attempt)
  return ended > 0 || job.status === 'cancelled'
}

/** Ends all jobs of an attempt, or asks their runners to; gives false when there was none left. */
export async function cancelAttempt(
  tx: Tx,
  { run, attempt }: Omit<AttemptRef, 'repository'>,
): Promise<boolean> {
  const open = (await jobsOfAttempt(tx, run, attempt)).filter(({ status }) => !isFinal(status))
  const ids = open.map(({ id }) => id)
  await stopWaiting(tx, ids)
  await stopTasks(tx, ids)
  await stopWaiting(tx, ids)
  await settle(tx, run, attempt)
  return ids.length > 0
}

/**
 * Ends jobs of a run that is locked already, or asks their runners to; what follows is left to the caller. One that
 * somebody is giving to a runner at this moment is left too: who does that settles the run next.
 */
export async function stopMatrixJobs(tx: Tx, ids: readonly number[]): Promise<void> {
  await stopWaiting(tx, await holdIdleJobs(tx, ids))
  await stopTasks(tx, ids)
}

/**
 * First those that no runner has, so that none of them begins because another one has ended; and once more when the tasks
 * have been asked for, because one may have been given back meanwhile.
 */
async function stopWaiting(tx: Tx, ids: readonly number[]): Promise<void> {
  await moveJobs(
    tx,
    ids.map((id) => ({ id, status: 'cancelled' as const })),
  )
}

/** A runner that understands it ends its task in order, any other finds it ended. */
async function stopTasks(tx: Tx, ids: readonly number[]): Promise<number> {
  const tasks = await tx<{ id: number; job_id: number; cancels: boolean; status: Status }[]>`
    select task.id, task.job_id, coalesce(runner.cancels and runner.deleted_at is null, false) as cancels, task.status
    from forge.action_task as task
    left join forge.action_runner as runner on runner.id = task.runner_id
    where task.job_id = any(${[...ids]}::bigint[]) and task.status = 'running'
    order by task.id
    for update of task`
  for (const { id, job_id, cancels } of tasks) {
    if (cancels) {
      await markTaskCancelling(tx, id)
      await markCancelling(tx, job_id)
    } else await closeTask(tx, id, { status: 'cancelled', at: tx.now })
  }
  return tasks.length
}
