import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../db/sql.ts'
import { closeTask } from '../runner/task-closing.ts'
import { lockRunningTasks, markTaskCancelling } from '../runner/task-store.ts'
import { valueFrom } from '../workflow/values.ts'
import { decide, isPlain, needsContext, readyJobs, statusWords } from './dependents.ts'
import {
  type Group,
  holdsItself,
  isFree,
  isIdle,
  isOwn,
  isSame,
  lockGroup,
  membersOf,
  type Self,
} from './groups.ts'
import {
  type AttemptJob,
  holdIdleJobs,
  jobsOfAttempt,
  lockJob,
  markCancelling,
  moveJobs,
} from './job-store.ts'
import { lostMatrixJobs } from './matrix-jobs.ts'
import { attemptGroup, lockRun, putAttemptStatus, releaseAttempt } from './run-store.ts'
import { type RuntimeContexts, runtimeContexts } from './runtime-context.ts'
import { aggregate, isFinal, isLoss } from './status.ts'
import { keptText, shortText } from './storable-text.ts'

/*
 * The state machine of runs: what follows when a job changes, a run is cancelled, or a concurrency group becomes free.
 *
 * Lock order: run, task, job, then concurrency group (an advisory lock). Every change ends in `advanceRun`, which may cancel
 * or release other attempts of the same repository and settles those too. It ends, because each step moves a job or an
 * attempt forward (pending, blocked, waiting, running, final) and none moves back.
 */

/** One attempt of a run. */
export interface AttemptRef {
  run: number
  attempt: number
  repository: number
}

/**
 * Brings an attempt and its run up to date after jobs of it have changed: what every change of a job ends with, in the
 * same transaction. Jobs that waited for others go on, and groups that have become free let the next one in. The run is
 * locked first, so that of two jobs that end together one sees the other. `released`: the attempt begins only now.
 */
export async function advanceRun(
  tx: Tx,
  run: number,
  attempt: number,
  { released = false } = {},
): Promise<void> {
  const locked = await lockRun(tx, run)
  if (!locked) return
  const place = { run, attempt, repository: locked.repository_id }
  const own = await attemptGroup(tx, run, attempt)
  const stored = await stopLostMatrixJobs(tx, place)
  const resolved = await decideReadyJobs(tx, place, stored)
  const jobs = own?.is_held ? resolved : await releaseJobs(tx, place, stored, resolved, released)
  await moveJobs(
    tx,
    jobs.filter((job, at) => job !== stored[at]),
  )
  // What failed here, by its condition, may end others.
  if (jobs.some((job, at) => isLoss(job) && job !== stored[at]) && lostMatrixJobs(jobs).length > 0)
    return advanceRun(tx, run, attempt, { released: true })
  const status = aggregate(jobs)
  if (attempt !== locked.attempt || status !== locked.status) await putAttemptStatus(tx, run, attempt, status)
  const groups = new Set(jobs.map((job) => (isFinal(job.status) ? job.concurrency_group : null)))
  if (isFinal(status)) groups.add(own?.concurrency_group ?? null)
  for (const name of groups) if (name !== null) await leaveGroup(tx, { repository: place.repository, name })
  // The database has queued what hooks and commits are to hear of it.
  await tx.wake()
}

/** The jobs of an attempt, when those have been stopped that the failure of another one of their matrix ends. */
async function stopLostMatrixJobs(tx: Tx, { run, attempt }: AttemptRef): Promise<readonly AttemptJob[]> {
  const stored = await jobsOfAttempt(tx, run, attempt)
  const lost = lostMatrixJobs(stored).map(({ id }) => id)
  if (lost.length === 0) return stored
  await stopMatrixJobs(tx, lost)
  return jobsOfAttempt(tx, run, attempt)
}

/** Lets a new attempt begin, or wait for its group. */
export async function beginAttempt(tx: Tx, place: AttemptRef): Promise<void> {
  const { run, attempt, repository } = place
  const own = await attemptGroup(tx, run, attempt)
  const name = own?.concurrency_group ?? null
  const begins =
    name === null ||
    (await enterGroup(
      tx,
      { repository, name },
      { run, attempt, job: null },
      own?.concurrency_cancels ?? false,
    ))
  if (begins && name !== null) await releaseAttempt(tx, run, attempt)
  await advanceRun(tx, run, attempt, { released: begins })
}

/** Jobs whose needs are done are skipped, fail, or are free to begin (`blocked`); and so on, until nothing moves. */
async function decideReadyJobs(
  tx: Tx,
  place: AttemptRef,
  stored: readonly AttemptJob[],
): Promise<readonly AttemptJob[]> {
  let jobs = stored
  let late: RuntimeContexts | undefined
  for (let ready = readyJobs(jobs); ready.length > 0; ready = readyJobs(jobs)) {
    if (!late && !ready.every(isPlain)) late = await runtimeContexts(tx, place)
    const decided = new Map<number, AttemptJob>()
    for (const job of ready) {
      // Expressions come from strangers, and there may be one in each of 256 jobs.
      if (late) await setImmediate()
      decided.set(job.id, decidedJob(job, jobs, late))
    }
    jobs = jobs.map((job) => decided.get(job.id) ?? job)
  }
  return jobs
}

function decidedJob(
  job: AttemptJob,
  jobs: readonly AttemptJob[],
  late: RuntimeContexts | undefined,
): AttemptJob {
  const words = statusWords(job, jobs)
  if (isPlain(job) || !late) return { ...job, status: words.success ? 'blocked' : 'skipped' }
  const needs = needsContext(job, jobs, late.outputs)
  const decision = decide(
    job,
    words,
    late.contexts.with('needs', needs).with('matrix', valueFrom(job.matrix)),
  )
  if ('fault' in decision) return { ...job, status: 'failure', message: keptText(decision.fault) }
  if (!decision.runs) return { ...job, status: 'skipped' }
  const { concurrency } = decision
  const group = concurrency
    ? { concurrency_group: shortText(concurrency.group), concurrency_cancels: concurrency.cancel }
    : {}
  return { ...job, ...group, status: 'blocked' }
}

/** Jobs that are free to begin wait for a runner from now on, unless their own group makes them wait. */
async function releaseJobs(
  tx: Tx,
  { run, attempt, repository }: AttemptRef,
  stored: readonly AttemptJob[],
  jobs: readonly AttemptJob[],
  released: boolean,
): Promise<AttemptJob[]> {
  const opened: AttemptJob[] = []
  for (const [at, job] of jobs.entries()) {
    const comes = released || stored[at]?.status === 'pending'
    const name = job.concurrency_group
    const mayEnter = async (group: string) =>
      comes &&
      !opened.some((other) => other.concurrency_group === group && isHolding(other)) &&
      (await enterGroup(
        tx,
        { repository, name: group },
        { run, attempt, job: job.id },
        job.concurrency_cancels,
      ))
    const begins = job.status === 'blocked' && (name === null || (await mayEnter(name)))
    opened.push(begins ? { ...job, status: 'waiting' } : job)
  }
  return opened
}

/** Of the jobs of one attempt that come into a group together, the first one has it. */
const isHolding = ({ status }: AttemptJob) =>
  status === 'waiting' || status === 'running' || status === 'cancelling'

/** Ends a job, or asks its runner to; gives false when it had ended. */
export async function cancelJob(tx: Tx, id: number): Promise<boolean> {
  await stopWaiting(tx, [id])
  const ended = await stopTasks(tx, [id])
  await stopWaiting(tx, [id])
  const job = await lockJob(tx, id)
  if (!job) return false
  await advanceRun(tx, job.run_id, job.attempt)
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
  await advanceRun(tx, run, attempt)
  return ids.length > 0
}

/**
 * Ends jobs of a run that is locked already, or asks their runners to; what follows is left to the caller. One that
 * somebody is giving to a runner at this moment is left too: who does that settles the run next.
 */
async function stopMatrixJobs(tx: Tx, ids: readonly number[]): Promise<void> {
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
  const tasks = await lockRunningTasks(tx, ids)
  for (const { id, job_id, cancels } of tasks) {
    if (cancels) {
      await markTaskCancelling(tx, id)
      await markCancelling(tx, job_id)
    } else await closeTask(tx, id, { status: 'cancelled', at: tx.now })
  }
  return tasks.length
}

/** Makes room for a newcomer; gives whether it may begin. It is not yet in the group, or waits in it. */
export async function enterGroup(tx: Tx, group: Group, self: Self, cancels: boolean): Promise<boolean> {
  await lockGroup(tx, group)
  for (const member of await membersOf(tx, group)) {
    if (isOwn(member, self) || !(cancels || isIdle(member))) continue
    if (member.job !== null) await cancelJob(tx, member.job)
    else await cancelAttempt(tx, member)
  }
  const left = await membersOf(tx, group)
  return !left.some((member) => !member.waits && !isSame(member, self) && !holdsItself(member, self))
}

/** Lets the next one in, when nobody is there any more. */
export async function leaveGroup(tx: Tx, group: Group): Promise<void> {
  await lockGroup(tx, group)
  const members = await membersOf(tx, group)
  const next = members.find((member) => member.waits && isFree(members, member))
  if (!next) return
  const { run, attempt, job } = next
  if (job === null) await releaseAttempt(tx, run, attempt)
  else await moveJobs(tx, [{ id: job, status: 'waiting' }])
  await advanceRun(tx, run, attempt, { released: job === null })
}
