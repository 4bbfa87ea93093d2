import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { Problem } from '../../http/route/problem.ts'
import { deleteAccount, lockAccount } from '../accounts/account-store.ts'
import { stillOwns } from '../accounts/ownership-constraints.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import { requireUnblocked } from './removal.ts'
import { inactiveSince } from './user-store.ts'

/** How long an account must be inactive before it is deleted, in milliseconds. */
const inactivityLimit = 168 * 3_600_000

/**
 * Deletes people who have been inactive for a week and own nothing. Disabled by default: an account may be kept
 * inactive on purpose.
 */
export const deleteInactiveAccounts: CronTask = {
  name: 'delete_inactive_accounts',
  summary: 'Deletes users who have been inactive for a week and own nothing.',
  schedule: '@annually',
  enabled: false,
  run: async (run) => {
    const before = new Date(run.now.getTime() - inactivityLimit)
    let deleted = 0
    for (const { id } of await inactiveSince(run.sql, before)) {
      run.signal.throwIfAborted()
      if (await deleteUnlessBlocked(run, id)) deleted++
    }
    return deleted > 0 ? `${deleted} deleted` : undefined
  },
}

/** Deletes an account that is still inactive and owns nothing. */
async function deleteUnlessBlocked({ begin }: CronRun, id: number): Promise<boolean> {
  const deletion = begin(async (tx) => {
    const user = await lockAccount(tx, id)
    if (!user || user.is_active || user.is_admin) return false
    await requireUnblocked(tx, user)
    await deleteAccount(tx, id)
    await record(tx, 'cron task', { action: 'user.deleted', target: accountTarget(user) })
    return true
  })
  try {
    return await mapConstraints(deletion, stillOwns({ id }))
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
