import type { Tx } from '../../db/sql.ts'
import { openJobsOfRepository } from '../run/attempt-job-store.ts'
import { cancelIdleJobs } from '../run/job-store.ts'
import { lockOpenRuns } from '../run/run-store.ts'
import { advanceRun } from '../run/state.ts'
import { replaceRegistrationToken } from '../runner/registration-store.ts'
import { hideRunner, lockRunnersOf } from '../runner/runner-store.ts'
import { closeTask } from '../runner/task-closing.ts'
import { closeLog, openTasksOfRepository } from '../runner/task-store.ts'
import { deleteTriggersOf } from './trigger-store.ts'

/** The numbers of ended jobs and deleted runners. */
interface Ended {
  jobs: number
  runners: number
}

const note = 'The repository got another owner, so the server ended the job.'

/**
 * Ends the work of the former owner of a locked repository: open jobs, whose tokens are invalid at once; events that have
 * not started runs yet; the runners of the repository, which would receive the secrets of the new owner; and the token to
 * register such runners. The token is replaced first, because that waits for registrations that use it, and the runners
 * are deleted before the jobs end, so that none of them takes one.
 */
export async function endWorkForOwner(tx: Tx, repository: number): Promise<Ended> {
  const scope = { owner_id: null, repository_id: repository }
  await replaceRegistrationToken(tx, scope)
  // This waits for transactions that start runs.
  await deleteTriggersOf(tx, repository)
  let runners = 0
  for (const runner of await lockRunnersOf(tx, { repository })) if (await hideRunner(tx, runner)) runners++
  return { jobs: await endJobs(tx, repository), runners }
}

/**
 * The lock on the repository prevents runners from taking its jobs meanwhile (`claimJob`). Idle jobs end first, so that
 * none of them starts because another one has ended.
 */
async function endJobs(tx: Tx, repository: number): Promise<number> {
  const runs = await lockOpenRuns(tx, repository)
  const jobs = await openJobsOfRepository(tx, repository)
  await cancelIdleJobs(tx, jobs)
  for (const task of await openTasksOfRepository(tx, repository)) {
    await closeTask(tx, task, { status: 'cancelled', at: tx.now, note })
    await closeLog(tx, task)
  }
  for (const { id, attempt } of runs) await advanceRun(tx, id, attempt)
  return jobs.length
}
