import type { ClockWatch } from '../background/clock-watch.ts'
import type { CronTask } from '../background/cron/cron-task.ts'
import { deleteOldMails } from '../mail/cleanup.ts'
import { type ActionsRetention, actionsTasks } from './actions/cron-tasks.ts'
import { cleanupArtifacts } from './artifacts/cleanup.ts'
import { deleteOldAuditEntries } from './audit/audit-trail.ts'
import { cleanupPackages } from './blobs/cleanup.ts'
import { removePullRefsTask } from './issues/removed-pulls/remove-refs.ts'
import { repairMergesTask } from './pulls/merging/completion.ts'
import { repairPushesTask } from './push/recovery.ts'
import type { DirectoryDeps } from './repos/directory.ts'
import {
  archiveCleanup,
  checkRepoStats,
  gitGcRepos,
  repairRepos,
  repoHealthCheck,
  settleRepos,
} from './repos/maintenance.ts'
import { deleteMissingRepos, reinitMissingRepos } from './repos/missing-directories.ts'
import type { ForgeTools } from './route.ts'
import { deleteInactiveAccounts } from './users/inactive-accounts.ts'
import { cleanupHookTaskTable, type Retention } from './webhooks/delivery/retention.ts'

/** What the tasks of the forge depend on. */
interface TaskDeps {
  tools: DirectoryDeps['tools'] & Pick<ForgeTools, 'blobs'>
  deliveryRetention: Retention
  actions: ActionsRetention
  clockWatch: ClockWatch
}

/** All scheduled tasks of the forge in list order: Gitea's tasks in its order, then our own. */
export function forgeTasks({ tools, deliveryRetention, actions, clockWatch }: TaskDeps): CronTask[] {
  return [
    repoHealthCheck(tools),
    checkRepoStats(tools),
    archiveCleanup(tools),
    cleanupHookTaskTable(deliveryRetention),
    cleanupPackages(tools),
    cleanupArtifacts,
    deleteInactiveAccounts,
    gitGcRepos(tools),
    reinitMissingRepos(tools),
    deleteMissingRepos(tools),
    ...actionsTasks(actions, clockWatch),
    repairRepos(tools),
    settleRepos(tools),
    repairPushesTask(tools),
    repairMergesTask(tools),
    removePullRefsTask(tools),
    deleteOldMails,
    deleteOldAuditEntries,
  ]
}
