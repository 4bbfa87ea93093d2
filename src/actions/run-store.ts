import type { Tx } from '../db/sql.ts'
import { isFinal, type Status } from './status.ts'

/** The only writer of runs and attempts. */

/** A run and its newest attempt, as whoever changes a job of it has to know them. */
export interface LockedRun {
  id: number
  repository_id: number
  attempt: number
  status: Status
}

/** The run, locked until the transaction ends: what changes its jobs happens one after the other. */
export async function lockRun(tx: Tx, id: number): Promise<LockedRun | undefined> {
  const [run] = await tx<LockedRun[]>`
    select id, repository_id, attempt, status
    from forge.action_run
    where id = ${id}
    for update`
  return run
}

/** Writes what an attempt has become; the run shows it too when the attempt is its newest. */
export async function putAttemptStatus(tx: Tx, run: number, attempt: number, status: Status): Promise<void> {
  const starts = status !== 'waiting' && status !== 'blocked' && status !== 'pending'
  const stops = isFinal(status)
  await tx`
    with changed as (
      update forge.action_attempt
      set status = ${status}, updated_at = ${tx.now},
        started_at = case when ${starts} then coalesce(started_at, ${tx.now}::timestamptz) else started_at end,
        stopped_at = case when ${stops} then coalesce(stopped_at, ${tx.now}::timestamptz) end
      where run_id = ${run} and number = ${attempt}
      returning status, started_at, stopped_at
    )
    update forge.action_run
    set status = changed.status, updated_at = ${tx.now}, started_at = changed.started_at,
      stopped_at = changed.stopped_at
    from changed
    where action_run.id = ${run} and action_run.attempt = ${attempt}`
}
