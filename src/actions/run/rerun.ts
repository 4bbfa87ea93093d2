import type { Tx } from '../../db/sql.ts'
import { type AttemptJob, copyJobs, jobsOfAttempt } from './job-store.ts'
import { insertAttempt, lockRun } from './run-store.ts'
import { beginAttempt } from './state.ts'
import { isFinal } from './status.ts'

/** What is to run again: everything, what failed or was cancelled, or one job; always with what needs it. */
export type Again = 'all' | 'failed' | { readonly job: number }

/** Why nothing runs again. */
export type RerunRefusal = 'gone' | 'open' | 'nothing' | 'often'

/** Attempts of a run at most. */
export const mostAttempts = 50

/** Begins a further attempt of a run that is done. */
export async function rerun(
  tx: Tx,
  { run, actor, again }: { run: number; actor: number; again: Again },
): Promise<{ attempt: number } | { refusal: RerunRefusal }> {
  const locked = await lockRun(tx, run)
  if (!locked) return { refusal: 'gone' }
  const jobs = await jobsOfAttempt(tx, run, locked.attempt)
  if (!isFinal(locked.status) || jobs.some(({ status }) => !isFinal(status))) return { refusal: 'open' }
  if (locked.attempt >= mostAttempts) return { refusal: 'often' }
  const chosen = withDependents(
    jobs,
    jobs.filter((job) => isChosen(job, again)),
  )
  if (chosen.length === 0) return { refusal: 'nothing' }
  const attempt = await insertAttempt(tx, locked, actor)
  const ids = chosen.map(({ id }) => id)
  await copyJobs(tx, run, { from: locked.attempt, to: attempt }, ids)
  await beginAttempt(tx, { run, attempt, repository: locked.repository_id })
  return { attempt }
}

function isChosen({ id, status }: AttemptJob, again: Again): boolean {
  if (again === 'all') return true
  return again === 'failed' ? status === 'failure' || status === 'cancelled' : id === again.job
}

/** The jobs, and all that need one of them, however many are between. */
function withDependents(jobs: readonly AttemptJob[], chosen: readonly AttemptJob[]): AttemptJob[] {
  const picked = new Set(chosen)
  for (let before = -1; before < picked.size; ) {
    before = picked.size
    const keys = new Set([...picked].map(({ key }) => key))
    for (const job of jobs) if (job.needs.some((need) => keys.has(need))) picked.add(job)
  }
  return jobs.filter((job) => picked.has(job))
}
