import { createTriggerWorker } from './actions/trigger/worker.ts'
import type { Begin, Pool } from './db/sql.ts'
import { describeSchedule } from './forge/actions/cron-tasks.ts'
import { needsApproval } from './forge/pulls/approval-store.ts'
import { createAutoMergeWorker } from './forge/pulls/merging/auto-merge-worker.ts'
import { repoMergePullRequest } from './forge/pulls/merging/merges.ts'
import type { ForgeTools } from './forge/route.ts'
import type { ServerAddress } from './http/server/origin.ts'
import type { Log } from './log.ts'

/** What the workers of an app take from it. */
interface WorkerParts {
  config: ServerAddress
  pool: Pool
  begin: Begin
  clock: () => Date
  log: Log
}

/** Process what the consumers of events have written; woken when events have been dispatched. */
export type AppWorkers = ReturnType<typeof appWorkers>

export function appWorkers({ config, pool: sql, begin, clock, log }: WorkerParts, tools: ForgeTools) {
  const { planner, gitService: source } = tools
  return {
    /** Starts workflows. */
    workflows: createTriggerWorker({
      sql,
      begin,
      clock,
      log,
      planner,
      source,
      root: config.root,
      describe: describeSchedule(sql, config.root),
      needsApproval: (repository, account) => needsApproval(sql, repository, account),
    }),
    /** Merges pull requests that are scheduled. */
    scheduledMerges: createAutoMergeWorker({
      sql,
      begin,
      clock,
      tools,
      server: config,
      merge: repoMergePullRequest,
    }),
  }
}
