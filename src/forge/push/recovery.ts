import type { CronTask } from '../../background/cron/cron-task.ts'
import { every, type Running } from '../../background/every.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { movedUpdates } from '../../git/http/moved.ts'
import { done, type GitOutcome } from '../../git/program/outcome.ts'
import type { Log } from '../../log.ts'
import { accountById } from '../accounts/account.ts'
import { folderOf, repositoryById } from '../repos/repo-store.ts'
import { deletePush, type JournalEntry, pushesBefore, untoldRefs } from './journal.ts'
import { type PushTools, pushed } from './push.ts'

/** What a crash left between git and the transaction that tells of a push. */

/** What this stands on. */
export interface PushRecoveryDeps {
  sql: Sql
  begin: Begin
  tools: PushTools
}

/** Age of a push that is looked at, in milliseconds. Looking too early does no harm; it only costs a run of git. */
const usuallyDone = 60_000

/**
 * How long a ref may still move after its push was begun, in milliseconds: git that was started for it goes on when the
 * server has died.
 */
const stillMoving = 24 * 3_600_000

/** Tells of pushes whose process died before it could. */
export const repairPushesTask = (tools: PushRecoveryDeps['tools']): CronTask => ({
  name: 'repair_pushes',
  schedule: '@every 2m',
  run: async (run) => {
    const before = new Date(run.now.getTime() - usuallyDone)
    const told = await repairPushes({ ...run, tools }, before, run.signal)
    return told > 0 ? `${told} told` : undefined
  },
})

/** Milliseconds until the pushes that a crash left are looked at again where the database has failed meanwhile. */
const lookAgain = 10_000

/** Tells, beside requests, of the pushes that were begun before this process; each process that starts does. */
export class PendingPushRecovery {
  #before: Date | undefined

  /** When the pushes were begun that may be left; undefined when they have been told. */
  get before(): Date | undefined {
    return this.#before
  }

  /** Begins to tell of what was begun before a moment. Nothing is told twice, however many processes do it. */
  start(parts: PushRecoveryDeps & { log: Log }, before: Date): Running {
    const stop = new AbortController()
    this.#before = before
    const telling = every(lookAgain, 'tell of pushes', parts.log, async () => {
      const count = await repairPushes(parts, before, stop.signal).catch((error: unknown) => {
        // Git and the database are ended with the server.
        if (!stop.signal.aborted) throw error
      })
      if (count === undefined || stop.signal.aborted) return
      if (count > 0) parts.log.info('pushes told', { count })
      this.#before = undefined
      void telling.stop()
    })
    return {
      stop: () => {
        stop.abort()
        return telling.stop()
      },
    }
  }
}

/** Pushes that are read from the journal at once. */
const page = 100

/**
 * Tells of what pushes that were begun before a moment have moved, as far as nobody has told of it yet; what has not
 * moved is kept for a day. Gives of how many pushes it told; ends early when `signal` fires.
 */
export async function repairPushes(
  parts: PushRecoveryDeps & { log: Log },
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let told = 0
  let last: JournalEntry | undefined
  for (;;) {
    const entries = await pushesBefore(parts.sql, before, page, last)
    told += await repairSome(parts, entries, before, signal)
    last = entries.at(-1)
    if (entries.length < page || signal.aborted) return told
  }
}

async function repairSome(
  parts: PushRecoveryDeps & { log: Log },
  entries: readonly JournalEntry[],
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let told = 0
  for (const entry of entries) {
    if (signal.aborted) return told
    const repaired = await repairPush(parts, entry)
    if (!repaired.ok) {
      const { push, repository_id: repository } = entry
      parts.log.warn('a push cannot be repaired yet', { push, repository, error: repaired.fault.log })
      continue
    }
    if (repaired.value) told++
    if (Date.parse(entry.begun_at) < before.getTime() - stillMoving) await deletePush(parts.sql, entry)
  }
  return told
}

/** Tells of what one push has moved and nobody has told of yet; gives whether there was any. Faults: those of git. */
export async function repairPush(
  { sql, begin, tools }: PushRecoveryDeps,
  entry: JournalEntry,
): Promise<GitOutcome<boolean>> {
  const row = await repositoryById(sql, entry.repository_id)
  const owner = row && (await accountById(sql, row.owner_id))
  const sender = await accountById(sql, entry.account_id)
  if (!row || !owner || !sender) return done(false)
  const untold = await untoldRefs(sql, entry)
  if (untold.length === 0) return done(false)
  const path = tools.gitService.repositories.path(folderOf(row)) ?? ''
  const moved = await movedUpdates(tools.gitService.git, path, untold)
  if (!moved.ok) return moved
  if (moved.value.length === 0) return done(false)
  const { push } = entry
  const parties = { repository: row.id, owner, sender, host: tools.root }
  await pushed({ sql, begin, tools, push, ...parties, isOver: false, isSaid: false }, moved.value)
  return done(true)
}
