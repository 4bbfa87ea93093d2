import type { Tx } from '../../db/sql.ts'
import { type ClaimedJob, claimJob, releaseJob } from '../run/job-store.ts'
import { advanceRun } from '../run/state.ts'
import { type Offer, waitingLabelKeys } from './queue-store.ts'
import type { RunnerContext } from './runner-call.ts'
import { hideRunner, lockForTask } from './runner-store.ts'
import { type TaskContent, taskContent } from './task-content.ts'
import { insertTaskSecrets } from './task-secret-store.ts'
import { deleteTask, insertTask, taskStateOfRunner } from './task-store.ts'
import { hashOf, newToken } from './token.ts'

/** The reply to a runner that requests a job. */
interface FetchReply {
  /** Absent: nothing to do. */
  task?: TaskContent & { id: bigint }
  tasksVersion: bigint
}

/** An ephemeral runner requests a second job. */
export class SpentError extends Error {}

interface AssignedTask {
  id: number
  token: string
}

/**
 * Assigns the oldest job that the runner may take. If `knownVersion` is current, no job has become ready since the last
 * call without a job, and the function queries nothing.
 * @throws SpentError
 */
export async function fetchTask(context: RunnerContext, knownVersion: bigint): Promise<FetchReply> {
  const { sql, runner } = context
  const tasksVersion = BigInt(runner.tasks_version)
  const offer = { scope: runner, labels: runner.labels }
  if (runner.ephemeral && (await isBusyOrSpent(context))) return { tasksVersion }
  if (runner.disabled || knownVersion === tasksVersion) return { tasksVersion }
  const labelKeys = await waitingLabelKeys(sql, offer)
  if (labelKeys.length === 0) return { tasksVersion }
  const assigned = await assignOldest(context, offer, labelKeys)
  // Another runner is claiming the waiting job and may still release it, so this runner has to call again.
  if (!assigned) return { tasksVersion: knownVersion > 0n ? knownVersion : 1n }
  const content = await contentOf(context, assigned)
  return content ? { task: { ...content, id: BigInt(assigned.id) }, tasksVersion } : { tasksVersion: 1n }
}

/** Releases a job whose runner will not learn that it was assigned. */
export async function returnTask({ begin }: Pick<RunnerContext, 'begin'>, task: number): Promise<void> {
  await begin(async (tx) => {
    const job = await deleteTask(tx, task)
    const released = job === undefined ? undefined : await releaseJob(tx, job)
    if (released) await advanceRun(tx, released.run_id, released.attempt)
  })
}

async function assignOldest(
  { begin, runner }: RunnerContext,
  offer: Offer,
  labelKeys: readonly string[],
): Promise<AssignedTask | undefined> {
  return begin(async (tx) => {
    if (!(await lockForTask(tx, runner))) return undefined
    // Of two concurrent calls of an ephemeral runner, the second has waited for the lock and finds the task of the first.
    if (runner.ephemeral && (await taskStateOfRunner(tx, runner.id)).any) return undefined
    const job = await claimOldest(tx, offer, labelKeys)
    if (!job) return undefined
    const token = newToken()
    const task = { jobId: job.id, runner, tokenHash: hashOf(token), stepNames: job.step_names }
    const id = await insertTask(tx, task)
    await advanceRun(tx, job.run_id, job.attempt)
    return { id, token }
  })
}

async function claimOldest(
  tx: Tx,
  offer: Offer,
  labelKeys: readonly string[],
): Promise<ClaimedJob | undefined> {
  for (const key of labelKeys) {
    const job = await claimJob(tx, offer, key)
    if (job) return job
  }
  return undefined
}

async function contentOf(
  context: RunnerContext,
  { id, token }: AssignedTask,
): Promise<TaskContent | undefined> {
  try {
    const { sql, tools, host, now } = context
    const content = await taskContent(sql, tools, { task: id, token, host, now })
    if (content && (await insertTaskSecrets(sql, tools.secrets, id, content.masked))) return content
    await returnTask(context, id)
    return undefined
  } catch (error) {
    await returnTask(context, id)
    throw error
  }
}

/** @throws SpentError */
async function isBusyOrSpent({ sql, begin, runner }: RunnerContext): Promise<boolean> {
  const { open, any } = await taskStateOfRunner(sql, runner.id)
  if (open || !any) return open
  await begin((tx) => hideRunner(tx, runner.id))
  throw new SpentError('an ephemeral runner requests a second job')
}
