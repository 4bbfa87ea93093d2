import type { CronTask } from '../../background/cron/cron-task.ts'
import { every, type Running } from '../../background/recurring.ts'
import { done } from '../../common/outcome.ts'
import { beginFor } from '../../db/begin.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { appliedUpdates } from '../../git/http/applied-updates.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import type { Log } from '../../log.ts'
import { accountById } from '../accounts/account-store.ts'
import { folderOf, repositoryById } from '../repos/repo-store.ts'
import { deletePush, type JournalEntry, pushesBefore, unpublishedRefs } from './journal-store.ts'
import { type PushTools, publishPush } from './push.ts'

/** Publishes pushes whose process died between git and the transaction that publishes them. */

/** Dependencies of the recovery. */
interface PushRecoveryDeps {
  sql: Sql
  begin: Begin
  tools: PushTools
}

/** Minimum age of the pushes to examine, in milliseconds. A younger one would do no harm, but costs a run of git. */
const minAge = 60_000

/**
 * How long after its start a push may still move refs, in milliseconds: the git process of a push continues when the
 * server dies.
 */
const maxAge = 24 * 3_600_000

/** The task that publishes pushes of processes that died. */
export const repairPushesTask = (tools: PushRecoveryDeps['tools']): CronTask => ({
  name: 'repair_pushes',
  summary: 'Sends webhooks and starts workflows for pushes whose server died.',
  schedule: '@every 2m',
  run: async (run) => {
    const before = new Date(run.now.getTime() - minAge)
    const published = await repairPushes({ ...run, tools }, before, run.signal)
    return published > 0 ? `${published} published` : undefined
  },
})

/** Milliseconds until the recovery at startup is retried after a database failure. */
const retryInterval = 10_000

/** Publishes the pushes begun before this process, in the background after startup; each process does so. */
export class PendingPushRecovery {
  #before: Date | undefined

  /** Pushes begun before this moment may be unpublished; undefined when the recovery has finished. */
  get before(): Date | undefined {
    return this.#before
  }

  /** Starts publishing pushes begun before a moment. Several processes may do it: each push is published once. */
  start(deps: PushRecoveryDeps & { log: Log }, before: Date): Running {
    const stop = new AbortController()
    this.#before = before
    const recovery = every(retryInterval, 'publish pushes', deps.log, async () => {
      const count = await repairPushes(deps, before, stop.signal).catch((error: unknown) => {
        // A stopping server also stops git and the database.
        if (!stop.signal.aborted) throw error
      })
      if (count === undefined || stop.signal.aborted) return
      if (count > 0) deps.log.info('published pushes of an ended process', { count })
      this.#before = undefined
      void recovery.stop()
    })
    return {
      stop: () => {
        stop.abort()
        return recovery.stop()
      },
    }
  }
}

/** Pushes read from the journal at a time. */
const pageSize = 100

/**
 * Publishes the unpublished moved refs of pushes begun before a moment; rows of refs that have not moved stay for a
 * day. Returns how many pushes were published; ends early when `signal` fires.
 */
export async function repairPushes(
  deps: PushRecoveryDeps & { log: Log },
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let published = 0
  let last: JournalEntry | undefined
  for (;;) {
    const entries = await pushesBefore(deps.sql, before, pageSize, last)
    published += await repairPage(deps, entries, before, signal)
    last = entries.at(-1)
    if (entries.length < pageSize || signal.aborted) return published
  }
}

async function repairPage(
  deps: PushRecoveryDeps & { log: Log },
  entries: readonly JournalEntry[],
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let published = 0
  for (const entry of entries) {
    if (signal.aborted) return published
    const result = await repairPush(deps, entry)
    if (!result.ok) {
      const { push, repository_id: repository } = entry
      deps.log.warn('cannot repair a push yet', { push, repository, error: result.fault.log })
      continue
    }
    if (result.value) published++
    if (Date.parse(entry.begun_at) < before.getTime() - maxAge) await deletePush(deps.sql, entry)
  }
  return published
}

/** Publishes the unpublished moved refs of one push; returns whether there were any. Faults: those of git. */
export async function repairPush(
  { sql, begin, tools }: PushRecoveryDeps,
  entry: JournalEntry,
): Promise<GitOutcome<boolean>> {
  const row = await repositoryById(sql, entry.repository_id)
  const owner = row && (await accountById(sql, row.owner_id))
  const sender = await accountById(sql, entry.account_id)
  if (!row || !owner || !sender) return done(false)
  const unpublished = await unpublishedRefs(sql, entry)
  if (unpublished.length === 0) return done(false)
  const repository = tools.gitService.repositories.open(folderOf(row))
  if (!repository) return done(false)
  const moved = await appliedUpdates(repository, unpublished)
  if (!moved.ok) return moved
  if (moved.value.length === 0) return done(false)
  const ofPush = beginFor(entry.request_id, begin)
  const by = { caller: { me: sender }, from: { address: '', id: entry.request_id } }
  const accounts = { repository: row.id, owner, sender, by, host: tools.root }
  const pending = unpublished.filter((update) => !moved.value.includes(update))
  const state = { push: entry.push, isOver: false, isReportedByGit: false, pending }
  await publishPush({ sql, begin: ofPush, tools, ...accounts, ...state }, moved.value)
  return done(true)
}
