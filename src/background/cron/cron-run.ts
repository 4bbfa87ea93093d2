import type { Begin, Pool } from '../../db/sql.ts'
import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { beatOf } from '../claim.ts'
import { type CronOutcome, finishTask, type Hold, keepHold } from './cron-store.ts'
import type { CronTask } from './cron-task.ts'

/** What runs stand on. */
export interface RunDeps {
  pool: Pool
  begin: Begin
  clock: () => Date
  log: Log
}

/** A run that has begun. */
export interface Run {
  /** Settles when it has ended and that is noted. */
  done: Promise<void>
  /** Tells the task to end. */
  abort: () => void
  /** Lets go of the task, whatever it still does. */
  giveUp: () => Promise<void>
}

/** Most characters that are kept of what a task says. */
const mostWords = 1000

/** Runs a task that was taken, and shows signs of life. */
export function startRun(parts: RunDeps, task: CronTask, hold: Hold, lease: number): Run {
  const { pool, begin, clock, log } = parts
  const controller = new AbortController()
  const { signal } = controller
  const began = performance.now()

  async function finish(outcome: CronOutcome, words = ''): Promise<void> {
    const message = words.replaceAll('\0', '').slice(0, mostWords).toWellFormed()
    const milliseconds = Math.round(performance.now() - began)
    try {
      await finishTask(pool, hold, { at: clock(), outcome, message, milliseconds })
    } catch (error) {
      // Others take it for lost after a while.
      log.error('the end of a task was not noted', { task: task.name, error: messageOf(error) })
    }
  }

  async function showLife(): Promise<void> {
    // Whether the database is away is found out by the task itself.
    const kept = await keepHold(pool, hold, new Date(clock().getTime() + lease)).catch(() => true)
    if (!kept) controller.abort()
  }

  async function run(): Promise<void> {
    const living = setInterval(() => void showLife(), beatOf(lease))
    try {
      const said = await task.run({ sql: pool, begin, now: hold.now, log, signal })
      if (said !== undefined) log.info('task done', { task: task.name, said })
      await finish('succeeded', said)
    } catch (error) {
      if (signal.aborted) return await finish('interrupted')
      log.error('task failed', { task: task.name, error: messageOf(error) })
      await finish('failed', messageOf(error))
    } finally {
      clearInterval(living)
    }
  }

  return { done: run(), abort: () => controller.abort(), giveUp: () => finish('interrupted') }
}
