import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../db/sql.ts'
import { closeTask } from '../runner/task-closing.ts'
import { lockRunningTasks, markTaskCancelling } from '../runner/task-store.ts'
import { valueFrom } from '../workflow/values.ts'
import { type AttemptJob, jobsOfAttempt } from './attempt-job-store.ts'
import { callerNumber, callerOf, withCalled } from './call-scope.ts'
import { endCall, endedCalls, hasEndedCall, returnsOutputs } from './calls.ts'
import {
  decide,
  lostMatrixJobs,
  needsNoExpressions,
  needsOf,
  readyJobs,
  statusContext,
} from './dependents.ts'
import {
  type Group,
  isFree,
  isIdle,
  isOwnAttempt,
  isSameAttempt,
  isSameMember,
  lockGroup,
  type MemberRef,
  membersOf,
} from './group-store.ts'
import { cancelIdleJobs, endCalls, lockIdleJobs, markCancelling, transitionJobs } from './job-store.ts'
import { attemptGroup, lockRun, putAttemptStatus, releaseAttempt } from './run-store.ts'
import { type RuntimeFacts, runtimeFacts, scopedNames } from './runtime-context.ts'
import { aggregate, isFinal, isLoss } from './status.ts'
import { shortText, storableText } from './storable-text.ts'

/*
 * The state machine of runs: what follows when a job changes, a run is cancelled, or a concurrency group becomes free.
 *
 * Lock order: run, task, job, then concurrency group (an advisory lock). Every change ends in `advanceRun`, which may
 * cancel or release other attempts of the same repository and advances those too. The recursion ends, because each step
 * moves a job or an attempt forward (requested, blocked, queued, in progress, final) and none moves back.
 */

/** One attempt of a run. */
interface AttemptRef {
  run: number
  attempt: number
  repository: number
}

/**
 * Updates an attempt and its run after a change of its jobs; every change of a job calls it last, in the same transaction.
 * Decides jobs whose needs have ended and starts the next member of groups that have become free. Locks the run first, so
 * that of two jobs that end at the same time one sees the other. `released`: the attempt starts only now.
 */
export async function advanceRun(
  tx: Tx,
  run: number,
  attempt: number,
  { released = false } = {},
): Promise<void> {
  const locked = await lockRun(tx, run)
  if (!locked) return
  const ref = { run, attempt, repository: locked.repository_id }
  const group = await attemptGroup(tx, run, attempt)
  const stored = await stopLostMatrixJobs(tx, ref)
  const resolved = await decideReadyJobs(tx, ref, stored)
  const jobs = group?.is_held ? resolved : await releaseJobs(tx, ref, stored, resolved, released)
  const changed = jobs.filter((job, at) => job !== stored[at])
  await transitionJobs(tx, changed)
  await endCalls(tx, changed.filter(hasEndedCall))
  // A job that failed here, by its condition, may stop other jobs of its matrix.
  if (changed.some(isLoss) && lostMatrixJobs(jobs).length > 0)
    return advanceRun(tx, run, attempt, { released: true })
  // A job that calls a workflow stands for the jobs of that workflow.
  const status = aggregate(jobs.filter(({ key }) => callerNumber(key) === 0))
  if (attempt !== locked.attempt || status !== locked.status) await putAttemptStatus(tx, run, attempt, status)
  const groups = new Set(jobs.map((job) => (isFinal(job.status) ? job.concurrency_group : null)))
  if (isFinal(status)) groups.add(group?.concurrency_group ?? null)
  for (const name of groups) if (name !== null) await leaveGroup(tx, { repository: ref.repository, name })
  // Triggers of the database have queued events for webhooks and commit statuses.
  await tx.wake()
}

/**
 * Stops the jobs whose matrix has a failed job; returns all jobs of the attempt. Skips a job that another transaction is
 * assigning to a runner at this moment: that transaction advances the run next.
 */
async function stopLostMatrixJobs(tx: Tx, { run, attempt }: AttemptRef): Promise<readonly AttemptJob[]> {
  const stored = await jobsOfAttempt(tx, run, attempt)
  const lostIds = withCalled(stored, lostMatrixJobs(stored)).map(({ id }) => id)
  if (lostIds.length === 0) return stored
  await cancelIdleJobs(tx, await lockIdleJobs(tx, lostIds))
  await stopTasks(tx, lostIds)
  return jobsOfAttempt(tx, run, attempt)
}

/** Starts a new attempt, or makes it wait for an approval or for its concurrency group, which it enters only then. */
export async function beginAttempt(tx: Tx, ref: AttemptRef): Promise<void> {
  const { run, attempt, repository } = ref
  const group = await attemptGroup(tx, run, attempt)
  if (group?.needs_approval) return advanceRun(tx, run, attempt)
  const name = group?.concurrency_group ?? null
  const starts =
    name === null ||
    (await enterGroup(
      tx,
      { repository, name },
      { run, attempt, job: null },
      group?.concurrency_cancels ?? false,
    ))
  if (starts && group?.is_held) await releaseAttempt(tx, run, attempt)
  await advanceRun(tx, run, attempt, { released: starts })
}

/** Skips, fails or releases (`blocked`) jobs whose needs have ended, ends calls, and repeats until no job changes. */
async function decideReadyJobs(
  tx: Tx,
  ref: AttemptRef,
  stored: readonly AttemptJob[],
): Promise<readonly AttemptJob[]> {
  let jobs = stored
  let runtime: RuntimeFacts | undefined
  for (;;) {
    const ended = endedCalls(jobs)
    const ready = ended.length > 0 ? [] : readyJobs(jobs)
    if (ended.length + ready.length === 0) return jobs
    if (!runtime && (ended.some(returnsOutputs) || !ready.every(needsNoExpressions)))
      runtime = await runtimeFacts(tx, ref)
    const decisions = new Map<number, AttemptJob>()
    for (const job of ended) decisions.set(job.id, endCall(job, jobs, runtime))
    for (const job of ready) {
      // Users write the expressions, and each of 256 jobs may have one: other work runs in between.
      if (runtime) await setImmediate()
      decisions.set(job.id, decideJob(job, jobs, runtime))
    }
    jobs = jobs.map((job) => decisions.get(job.id) ?? job)
  }
}

function decideJob(
  job: AttemptJob,
  jobs: readonly AttemptJob[],
  runtime: RuntimeFacts | undefined,
): AttemptJob {
  const needsStatus = statusContext(job, jobs)
  if (needsNoExpressions(job) || !runtime)
    return { ...job, status: needsStatus.success ? 'blocked' : 'skipped' }
  const needs = valueFrom(needsOf(job, jobs, runtime.outputs))
  const names = scopedNames(runtime, callerOf(job.key, jobs))
  const contexts = names.with('needs', needs).with('matrix', valueFrom(job.matrix))
  const decision = decide(job, needsStatus, contexts)
  if (!decision.ok) return { ...job, status: 'failure', message: storableText(decision.fault) }
  if (!decision.value.runs) return { ...job, status: 'skipped' }
  const { concurrency } = decision.value
  const group = concurrency
    ? { concurrency_group: shortText(concurrency.group), concurrency_cancels: concurrency.cancel }
    : {}
  return { ...job, ...group, status: 'blocked' }
}

/** Makes `blocked` jobs wait for a runner, unless their concurrency group is taken. */
async function releaseJobs(
  tx: Tx,
  { run, attempt, repository }: AttemptRef,
  stored: readonly AttemptJob[],
  jobs: readonly AttemptJob[],
  released: boolean,
): Promise<AttemptJob[]> {
  const result: AttemptJob[] = []
  for (const [at, job] of jobs.entries()) {
    const isNew = released || stored[at]?.status === 'requested'
    const name = job.concurrency_group
    const mayEnter = async (group: string) =>
      isNew &&
      !result.some((other) => other.concurrency_group === group && isHolding(other)) &&
      (await enterGroup(
        tx,
        { repository, name: group },
        { run, attempt, job: job.id },
        job.concurrency_cancels,
      ))
    const starts = job.status === 'blocked' && (name === null || (await mayEnter(name)))
    result.push(starts ? { ...job, status: 'queued' } : job)
  }
  return result
}

/** Whether a job occupies its group; of several jobs of one attempt that enter a group together, the first one does. */
const isHolding = ({ status }: AttemptJob) =>
  status === 'queued' || status === 'in_progress' || status === 'cancelling'

/** Ends a job or asks its runner to end it. */
async function cancelJob(tx: Tx, { run, attempt }: MemberRef, id: number): Promise<void> {
  const jobs = await jobsOfAttempt(tx, run, attempt)
  const called = withCalled(
    jobs,
    jobs.filter((job) => job.id === id),
  )
  await stopJobs(
    tx,
    called.map((job) => job.id),
  )
  await advanceRun(tx, run, attempt)
}

/**
 * Ends all open jobs of an attempt or asks their runners to end them; returns false if there were none, also because
 * another transaction has ended them meanwhile.
 */
export async function cancelAttempt(
  tx: Tx,
  { run, attempt }: Omit<AttemptRef, 'repository'>,
): Promise<boolean> {
  const open = (await jobsOfAttempt(tx, run, attempt)).filter(({ status }) => !isFinal(status))
  const stopped = await stopJobs(
    tx,
    open.map(({ id }) => id),
  )
  await advanceRun(tx, run, attempt)
  // A runner may still have to end a job that was cancelled before.
  return stopped > 0 || open.some(({ status }) => status === 'cancelling')
}

/**
 * Ends jobs or asks their runners to end them; returns how many. Idle jobs end first, so that none of them starts because
 * another one has ended, and again after the tasks, because a runner may have released one meanwhile.
 */
async function stopJobs(tx: Tx, ids: readonly number[]): Promise<number> {
  const waiting = await cancelIdleJobs(tx, ids)
  const running = await stopTasks(tx, ids)
  return waiting + running + (await cancelIdleJobs(tx, ids))
}

/** A runner that supports cancellation ends its task itself; for any other runner the server ends it. */
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

/** Cancels the members that `self`, a new or waiting member, replaces; returns whether it may start. */
async function enterGroup(tx: Tx, group: Group, self: MemberRef, cancels: boolean): Promise<boolean> {
  await lockGroup(tx, group)
  for (const member of await membersOf(tx, group)) {
    if (isSameAttempt(member, self) || !(cancels || isIdle(member))) continue
    if (member.job !== null) await cancelJob(tx, member, member.job)
    else await cancelAttempt(tx, member)
  }
  const remaining = await membersOf(tx, group)
  return !remaining.some(
    (member) => !member.waits && !isSameMember(member, self) && !isOwnAttempt(member, self),
  )
}

/** Starts the next waiting member if the group is free. */
async function leaveGroup(tx: Tx, group: Group): Promise<void> {
  await lockGroup(tx, group)
  const members = await membersOf(tx, group)
  const next = members.find((member) => member.waits && isFree(members, member))
  if (!next) return
  const { run, attempt, job } = next
  if (job === null) await releaseAttempt(tx, run, attempt)
  else await transitionJobs(tx, [{ id: job, status: 'queued' }])
  await advanceRun(tx, run, attempt, { released: job === null })
}
