import type { Tx } from '../../db/sql.ts'
import { type ClaimedJob, claimJob, releaseJob } from '../run/job-store.ts'
import { advanceRun } from '../run/state.ts'
import { type Offer, waitingLabelKeys } from './queue-store.ts'
import type { RunnerContext } from './runner-call.ts'
import { hideRunner, holdRunner } from './runner-store.ts'
import { type TaskContent, taskContent } from './task-content.ts'
import { insertTaskSecrets } from './task-secret-store.ts'
import { deleteTask, insertTask, taskStateOfRunner } from './task-store.ts'
import { hashOf, newToken } from './token.ts'

/** The reply to a runner that asks for a job. */
interface Fetched {
  /** Absent: nothing to do. */
  task?: TaskContent & { id: bigint }
  tasksVersion: bigint
}

/** An ephemeral runner that has already had its job. */
export class SpentError extends Error {}

interface AssignedTask {
  id: number
  token: string
}

/**
 * Assigns the oldest job that the runner may take. If the version that the runner names is current, no job has become
 * ready since it last found none, and nothing is queried.
 * @throws SpentError
 */
export async function fetchTask(context: RunnerContext, knownVersion: bigint): Promise<Fetched> {
  const { sql, runner } = context
  const tasksVersion = BigInt(runner.tasks_version)
  const offer = { scope: runner, labels: runner.labels }
  if (runner.ephemeral && (await isBusyOrSpent(context))) return { tasksVersion }
  if (runner.disabled || knownVersion === tasksVersion) return { tasksVersion }
  const kinds = await waitingLabelKeys(sql, offer)
  if (kinds.length === 0) return { tasksVersion }
  const assigned = await assignOldest(context, offer, kinds)
  // Another runner is claiming the waiting job and may yet release it, so this runner has to ask again.
  if (!assigned) return { tasksVersion: knownVersion > 0n ? knownVersion : 1n }
  const content = await contentOf(context, assigned)
  return content ? { task: { ...content, id: BigInt(assigned.id) }, tasksVersion } : { tasksVersion: 1n }
}

/** Releases a job whose runner will not learn that it was assigned. */
export async function giveBack({ begin }: Pick<RunnerContext, 'begin'>, task: number): Promise<void> {
  await begin(async (tx) => {
    const job = await deleteTask(tx, task)
    const released = job === undefined ? undefined : await releaseJob(tx, job)
    if (released) await advanceRun(tx, released.run_id, released.attempt)
  })
}

async function assignOldest(
  { begin, runner }: RunnerContext,
  offer: Offer,
  kinds: readonly string[],
): Promise<AssignedTask | undefined> {
  return begin(async (tx) => {
    if (!(await holdRunner(tx, runner))) return undefined
    // Of two concurrent calls of an ephemeral runner the second has waited here and finds the task of the first.
    if (runner.ephemeral && (await taskStateOfRunner(tx, runner.id)).any) return undefined
    const job = await claimOldest(tx, offer, kinds)
    if (!job) return undefined
    const token = newToken()
    const task = { jobId: job.id, runner, tokenHash: hashOf(token), stepNames: job.step_names }
    const id = await insertTask(tx, task)
    await advanceRun(tx, job.run_id, job.attempt)
    return { id, token }
  })
}

async function claimOldest(tx: Tx, offer: Offer, kinds: readonly string[]): Promise<ClaimedJob | undefined> {
  for (const kind of kinds) {
    const job = await claimJob(tx, offer, kind)
    if (job) return job
  }
  return undefined
}

async function contentOf(
  context: RunnerContext,
  { id, token }: AssignedTask,
): Promise<TaskContent | undefined> {
  try {
    const { sql, tools, host } = context
    const content = await taskContent(sql, tools, { task: id, token, host })
    const received = Object.values(content?.secrets ?? {}).filter((value) => value !== token)
    if (content && (await insertTaskSecrets(sql, tools.secrets, id, received))) return content
    await giveBack(context, id)
    return undefined
  } catch (error) {
    await giveBack(context, id)
    throw error
  }
}

/** @throws SpentError */
async function isBusyOrSpent({ sql, begin, runner }: RunnerContext): Promise<boolean> {
  const { open, any } = await taskStateOfRunner(sql, runner.id)
  if (open || !any) return open
  await begin((tx) => hideRunner(tx, runner.id))
  throw new SpentError('a runner for one job asks for another')
}
