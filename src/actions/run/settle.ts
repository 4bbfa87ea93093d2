import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../db/sql.ts'
import { valueFrom } from '../workflow/values.ts'
import { stopMatrixJobs } from './cancel.ts'
import { decide, isPlain, needsContext, readyJobs, statusWords } from './dependents.ts'
import { enterGroup, leaveGroup } from './groups.ts'
import { type AttemptJob, jobsOfAttempt, moveJobs } from './job-store.ts'
import { lostMatrixJobs } from './matrix-jobs.ts'
import { attemptGroup, lockRun, putAttemptStatus, releaseAttempt } from './run-store.ts'
import { type RuntimeContexts, runtimeContexts } from './runtime-context.ts'
import { aggregate, isFinal, isLoss } from './status.ts'
import { keptText, shortText } from './storable-text.ts'

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
export async function settle(tx: Tx, run: number, attempt: number, { released = false } = {}): Promise<void> {
  const locked = await lockRun(tx, run)
  if (!locked) return
  const place = { run, attempt, repository: locked.repository_id }
  const own = await attemptGroup(tx, run, attempt)
  const stored = await goingOn(tx, place)
  const resolved = await resolve(tx, place, stored)
  const jobs = own?.is_held ? resolved : await openDoors(tx, place, stored, resolved, released)
  await moveJobs(
    tx,
    jobs.filter((job, at) => job !== stored[at]),
  )
  // What failed here, by its condition, may end others.
  if (jobs.some((job, at) => isLoss(job) && job !== stored[at]) && lostMatrixJobs(jobs).length > 0)
    return settle(tx, run, attempt, { released: true })
  const status = aggregate(jobs)
  if (attempt !== locked.attempt || status !== locked.status) await putAttemptStatus(tx, run, attempt, status)
  const groups = new Set(jobs.map((job) => (isFinal(job.status) ? job.concurrency_group : null)))
  if (isFinal(status)) groups.add(own?.concurrency_group ?? null)
  for (const name of groups) if (name !== null) await leaveGroup(tx, { repository: place.repository, name })
  // The database has queued what hooks and commits are to hear of it.
  await tx.wake()
}

/** The jobs of an attempt, when those have been stopped that the failure of another one of their matrix ends. */
async function goingOn(tx: Tx, { run, attempt }: AttemptRef): Promise<readonly AttemptJob[]> {
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
  await settle(tx, run, attempt, { released: begins })
}

/** Jobs whose needs are done are skipped, fail, or are free to begin (`blocked`); and so on, until nothing moves. */
async function resolve(
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
async function openDoors(
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
