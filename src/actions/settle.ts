import type { Tx } from '../db/sql.ts'
import { partsOf } from './job-store.ts'
import { lockRun, putAttemptStatus } from './run-store.ts'
import { aggregate } from './status.ts'

/**
 * Brings an attempt and its run up to date after jobs of it have changed: what every change of a job ends with, in the
 * same transaction. The run is locked first, so that of two jobs that end together one sees the other.
 */
export async function settle(tx: Tx, run: number, attempt: number): Promise<void> {
  const locked = await lockRun(tx, run)
  if (!locked) return
  const status = aggregate(await partsOf(tx, run, attempt))
  if (attempt !== locked.attempt || status !== locked.status) await putAttemptStatus(tx, run, attempt, status)
}
