import type { CronTask } from '../background/cron-task.ts'
import { cleanupHookTaskTable, type Retention } from '../background/retention.ts'
import { type ActionsRetention, actionsTasks } from './action-tasks.ts'
import { deleteOldAuditEntries } from './audit.ts'
import { deleteInactiveAccounts } from './inactive-accounts.ts'
import { cleanupPackages } from './package-cleanup.ts'
import { repairPushesTask } from './push-repair.ts'
import type { DiskParts } from './repo-disk.ts'
import { deleteMissingRepos, reinitMissingRepos } from './repo-missing.ts'
import {
  archiveCleanup,
  checkRepoStats,
  gitGcRepos,
  repairRepos,
  repoHealthCheck,
  settleRepos,
} from './repo-upkeep.ts'
import type { ForgeTools } from './route.ts'

/** What the tasks of the forge stand on. */
interface TaskParts {
  tools: DiskParts['tools'] & Pick<ForgeTools, 'blobs'>
  deliveriesKept: Retention
  actions: ActionsRetention
}

/** Every task of the forge, in the order in which they are listed: those of the original in its order, then ours. */
export function forgeTasks({ tools, deliveriesKept, actions }: TaskParts): CronTask[] {
  return [
    repoHealthCheck(tools),
    checkRepoStats(tools),
    archiveCleanup(tools),
    cleanupHookTaskTable(deliveriesKept),
    cleanupPackages(tools),
    deleteInactiveAccounts,
    gitGcRepos(tools),
    reinitMissingRepos(tools),
    deleteMissingRepos(tools),
    ...actionsTasks(actions),
    repairRepos(tools),
    settleRepos(tools),
    repairPushesTask(tools),
    deleteOldAuditEntries,
  ]
}
