import { messageOf } from '../../common/errors.ts'
import type { Begin, Pool } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { heartbeatInterval } from '../claim.ts'
import { type Claim, type CronOutcome, extendClaim, finishTask } from './cron-store.ts'
import type { CronTask } from './cron-task.ts'

/** What runs depend on. */
export interface RunDeps {
  pool: Pool
  begin: Begin
  clock: () => Date
  log: Log
}

/** A run in progress. */
export interface Run {
  /** Resolves when it has ended and the end is recorded. */
  done: Promise<void>
  /** Asks the task to stop. */
  abort: () => void
  /** Releases the task, even if it is still running. */
  release: () => Promise<void>
}

/** Maximum stored characters of the message of a task. */
const maxMessageLength = 1000

/** Runs a claimed task and sends heartbeats. */
export function startRun(parts: RunDeps, task: CronTask, claim: Claim, lease: number): Run {
  const { pool, begin, clock, log } = parts
  const controller = new AbortController()
  const { signal } = controller
  const began = performance.now()

  async function finish(outcome: CronOutcome, text = ''): Promise<void> {
    const message = text.replaceAll('\0', '').slice(0, maxMessageLength).toWellFormed()
    const milliseconds = Math.round(performance.now() - began)
    try {
      await finishTask(pool, claim, { at: clock(), outcome, message, milliseconds })
    } catch (error) {
      // Other processes will take over the task when its lease expires.
      log.error('cannot record the end of a task', { task: task.name, error: messageOf(error) })
    }
  }

  async function heartbeat(): Promise<void> {
    // If the database is unavailable, the task itself will notice.
    const isOwner = await extendClaim(pool, claim, new Date(clock().getTime() + lease)).catch(() => true)
    if (!isOwner) controller.abort()
  }

  async function run(): Promise<void> {
    const heartbeats = setInterval(() => void heartbeat(), heartbeatInterval(lease))
    try {
      const result = await task.run({ sql: pool, begin, now: claim.now, log, signal })
      if (result !== undefined) log.info('task done', { task: task.name, result })
      await finish('succeeded', result)
    } catch (error) {
      if (signal.aborted) return await finish('interrupted')
      log.error('task failed', { task: task.name, error: messageOf(error) })
      await finish('failed', messageOf(error))
    } finally {
      clearInterval(heartbeats)
    }
  }

  return { done: run(), abort: () => controller.abort(), release: () => finish('interrupted') }
}
