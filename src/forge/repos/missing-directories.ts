import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import type { Tx } from '../../db/sql.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { gitValue } from './code.ts'
import { type DirectoryDeps, removeReleased } from './directory.ts'
import { emitRepositoryEvent } from './events.ts'
import { allRepositories, drawLook } from './repo-query-store.ts'
import {
  folderOf,
  lockRepository,
  type Repository,
  type RepositoryPlace,
  releaseRepositories,
  updateMeasured,
} from './repo-store.ts'

/**
 * Tasks for repositories whose directory is missing. A crash of this program cannot cause that, only a lost disk or a
 * wrong DATA_DIR. So both tasks only run on request of an administrator.
 */

type Tools = DirectoryDeps['tools']

/** Recreates the directories, empty. */
export const reinitMissingRepos = (tools: Tools): CronTask => ({
  name: 'reinit_missing_repos',
  summary: 'Recreates repositories whose directory is missing, empty.',
  schedule: '@every 72h',
  enabled: false,
  run: async (run) => {
    const count = await eachMissing(tools, run, (tx, row, owner) => recreate(tx, tools, row, owner))
    return count > 0 ? `${count} recreated, empty` : undefined
  },
})

/** Deletes the repositories. */
export const deleteMissingRepos = (tools: Tools): CronTask => ({
  name: 'delete_missing_repos',
  summary: 'Deletes repositories whose directory is missing.',
  schedule: '@every 72h',
  enabled: false,
  run: async (run) => {
    const released: RepositoryPlace[] = []
    const count = await eachMissing(tools, run, async (tx, row, owner) => {
      released.push(...(await releaseRepositories(tx, { id: row.id })))
      const facts = { action: 'deleted', row, owner, sender: owner, host: tools.root } as const
      await emitRepositoryEvent(tx, tools, facts)
      await record(tx, 'cron task', { action: 'repository.deleted', target: repositoryTarget(row, owner) })
    })
    await removeReleased({ sql: run.sql, tools }, released)
    return count > 0 ? `${count} deleted` : undefined
  },
})

async function recreate(tx: Tx, tools: Tools, row: Repository, owner: Account): Promise<void> {
  const { repositories } = tools.gitService
  const format = row.object_format
  gitValue(await repositories.create({ ...folderOf(row), branch: row.default_branch, format }))
  const look = await drawLook(tx)
  const size = await repositories.bytes(folderOf(row))
  await updateMeasured(tx, row.id, { size, is_empty: true, branch_count: 0, licenses: [], look })
  await record(tx, 'cron task', { action: 'repository.made_anew', target: repositoryTarget(row, owner) })
}

/**
 * Calls `work` for each repository without a directory, in a transaction that locks its row, so that a concurrent
 * rename waits. Returns the number of such repositories.
 * @throws Error if all repositories are without a directory
 */
async function eachMissing(
  { gitService }: Tools,
  { sql, begin, signal }: CronRun,
  work: (tx: Tx, row: Repository, owner: Account) => Promise<void>,
): Promise<number> {
  const missing: number[] = []
  let total = 0
  for await (const row of allRepositories(sql)) {
    signal.throwIfAborted()
    total++
    if (!(await gitService.repositories.exists(folderOf(row)))) missing.push(row.id)
  }
  if (total > 0 && missing.length === total)
    throw new Error(`none of ${total} repositories has a directory: check DATA_DIR`)
  let count = 0
  for (const id of missing) {
    signal.throwIfAborted()
    const isDone = await begin(async (tx) => {
      const row = await lockRepository(tx, id)
      const owner = row && (await accountById(tx, row.owner_id))
      if (!row || !owner || (await gitService.repositories.exists(folderOf(row)))) return false
      await work(tx, row, owner)
      return true
    })
    if (isDone) count++
  }
  return count
}
