import type { Tx } from '../../db/sql.ts'
import { type ClaimedJob, claimJob, releaseJob } from '../run/job-store.ts'
import { advanceRun } from '../run/state.ts'
import { type Offer, waitingKinds } from './queue.ts'
import type { RunnerContext } from './runner-call.ts'
import { hideRunner, holdRunner } from './runner-store.ts'
import { type TaskContent, taskContent } from './task-content.ts'
import { deleteTask, insertTask, tasksOfRunner } from './task-store.ts'
import { hashOf, newToken } from './token.ts'

/** What a runner that asks for work is given. */
interface Fetched {
  /** Absent: nothing to do. */
  task?: TaskContent & { id: bigint }
  tasksVersion: bigint
}

/** A runner for one job that has had it. */
export class SpentError extends Error {}

interface Taken {
  id: number
  token: string
}

/**
 * Gives a runner the oldest job that it may take, if the number it names is not the newest: then nothing has become
 * ready since it last found nothing.
 * @throws SpentError
 */
export async function fetchTask(ask: RunnerContext, known: bigint): Promise<Fetched> {
  const { sql, runner } = ask
  const tasksVersion = BigInt(runner.tasks_version)
  const offer = { scope: runner, labels: runner.labels }
  if (runner.ephemeral && (await isBusyOrSpent(ask))) return { tasksVersion }
  if (runner.disabled || known === tasksVersion) return { tasksVersion }
  const kinds = await waitingKinds(sql, offer)
  if (kinds.length === 0) return { tasksVersion }
  const taken = await take(ask, offer, kinds)
  // Somebody else is taking what waits, and may yet give it back: the runner is to look again.
  if (!taken) return { tasksVersion: known > 0n ? known : 1n }
  const content = await contentOf(ask, taken)
  return content ? { task: { ...content, id: BigInt(taken.id) }, tasksVersion } : { tasksVersion: 1n }
}

/** Gives a job back whose runner will not hear that it has it. */
export async function giveBack({ begin }: Pick<RunnerContext, 'begin'>, task: number): Promise<void> {
  await begin(async (tx) => {
    const job = await deleteTask(tx, task)
    const released = job === undefined ? undefined : await releaseJob(tx, job)
    if (released) await advanceRun(tx, released.run_id, released.attempt)
  })
}

async function take(
  { begin, runner }: RunnerContext,
  offer: Offer,
  kinds: readonly string[],
): Promise<Taken | undefined> {
  return begin(async (tx) => {
    if (!(await holdRunner(tx, runner))) return undefined
    // Of two calls of a runner for one job the second has waited, and finds that the first had it.
    if (runner.ephemeral && (await tasksOfRunner(tx, runner.id)).any) return undefined
    const job = await oldest(tx, offer, kinds)
    if (!job) return undefined
    const token = newToken()
    const task = { jobId: job.id, runner, tokenHash: hashOf(token), stepNames: job.step_names }
    const id = await insertTask(tx, task)
    await advanceRun(tx, job.run_id, job.attempt)
    return { id, token }
  })
}

async function oldest(tx: Tx, offer: Offer, kinds: readonly string[]): Promise<ClaimedJob | undefined> {
  for (const kind of kinds) {
    const job = await claimJob(tx, offer, kind)
    if (job) return job
  }
  return undefined
}

async function contentOf(ask: RunnerContext, { id, token }: Taken): Promise<TaskContent | undefined> {
  try {
    const content = await taskContent(ask.sql, ask.tools, { task: id, token, host: ask.host })
    if (!content) await giveBack(ask, id)
    return content
  } catch (error) {
    await giveBack(ask, id)
    throw error
  }
}

/** @throws SpentError */
async function isBusyOrSpent({ sql, begin, runner }: RunnerContext): Promise<boolean> {
  const { open, any } = await tasksOfRunner(sql, runner.id)
  if (open || !any) return open
  await begin((tx) => hideRunner(tx, runner.id))
  throw new SpentError('a runner for one job asks for another')
}
