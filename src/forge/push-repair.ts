import type { CronTask } from '../background/cron-task.ts'
import type { Begin, Sql } from '../db/sql.ts'
import { movedUpdates } from '../git/moved.ts'
import { done, type GitOutcome } from '../git/outcome.ts'
import type { Log } from '../log.ts'
import { accountById } from './account.ts'
import { deletePush, type JournalEntry, pushesBefore, untoldRefs } from './push-journal.ts'
import { pushed } from './repo-push.ts'
import { folderOf, repositoryById } from './repo-store.ts'
import type { ForgeTools } from './route.ts'

/** What a crash left between git and the transaction that tells of a push. */

/** What this stands on. */
export interface PushRepairParts {
  sql: Sql
  begin: Begin
  tools: Pick<ForgeTools, 'workshop' | 'root'>
}

/** Age of a push that is looked at, in milliseconds. Looking too early does no harm; it only costs a run of git. */
const usuallyDone = 60_000

/**
 * How long a ref may still move after its push was begun, in milliseconds: git that was started for it goes on when the
 * server has died.
 */
const stillMoving = 24 * 3_600_000

/** Tells of pushes whose process died before it could. */
export const repairPushesTask = (tools: PushRepairParts['tools']): CronTask => ({
  name: 'repair_pushes',
  schedule: '@every 2m',
  runAtStart: true,
  run: async (run) => {
    const told = await repairPushes({ ...run, tools }, new Date(run.now.getTime() - usuallyDone))
    return told > 0 ? `${told} told` : undefined
  },
})

/**
 * Tells of what pushes that were begun before a moment have moved, as far as nobody has told of it yet; what has not
 * moved is kept for a day. Gives of how many pushes it told.
 */
export async function repairPushes(parts: PushRepairParts & { log: Log }, before: Date): Promise<number> {
  let told = 0
  for (const entry of await pushesBefore(parts.sql, before, 1000)) {
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
  { sql, begin, tools }: PushRepairParts,
  entry: JournalEntry,
): Promise<GitOutcome<boolean>> {
  const row = await repositoryById(sql, entry.repository_id)
  const owner = row && (await accountById(sql, row.owner_id))
  const sender = await accountById(sql, entry.account_id)
  if (!row || !owner || !sender) return done(false)
  const untold = await untoldRefs(sql, entry)
  if (untold.length === 0) return done(false)
  const path = tools.workshop.repositories.path(folderOf(row)) ?? ''
  const moved = await movedUpdates(tools.workshop.git, path, untold)
  if (!moved.ok) return moved
  if (moved.value.length === 0) return done(false)
  const { push } = entry
  const parties = { repository: row.id, owner, sender, host: tools.root }
  await pushed({ sql, begin, tools, push, ...parties, isOver: false, isSaid: false }, moved.value)
  return done(true)
}
