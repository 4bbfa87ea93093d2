import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import type { Tx } from '../../db/sql.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { record, repositoryTarget } from '../admin/audit-trail.ts'
import { type DirectoryDeps, removeReleased } from './directory.ts'
import { emitRepositoryEvent } from './events.ts'
import { problemOf } from './git-service.ts'
import { allRepositories, drawLook } from './repo-query-store.ts'
import {
  folderOf,
  lockRepository,
  type Repository,
  releaseRepositories,
  type Unfinished,
  updateMeasured,
} from './repo-store.ts'

/**
 * Tasks about repositories whose directory has vanished. A crash of this program cannot cause that: a disk was lost, or
 * DATA_DIR is wrong. So both tasks only run on request of an administrator.
 */

type Tools = DirectoryDeps['tools']

/** Recreates them, empty. */
export const reinitMissingRepos = (tools: Tools): CronTask => ({
  name: 'reinit_missing_repos',
  schedule: '@every 72h',
  enabled: false,
  run: async (run) => {
    const count = await eachMissing(tools, run, (tx, row, owner) => reinit(tx, tools, row, owner))
    return count > 0 ? `${count} made anew, empty` : undefined
  },
})

/** Deletes them. */
export const deleteMissingRepos = (tools: Tools): CronTask => ({
  name: 'delete_missing_repos',
  schedule: '@every 72h',
  enabled: false,
  run: async (run) => {
    const released: Unfinished[] = []
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

async function reinit(tx: Tx, tools: Tools, row: Repository, owner: Account): Promise<void> {
  const { repositories } = tools.gitService
  const format = row.object_format
  const made = await repositories.create({ ...folderOf(row), branch: row.default_branch, format })
  if (!made.ok) throw problemOf(made.fault)
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
  let count = 0
  for await (const row of allRepositories(sql)) {
    signal.throwIfAborted()
    count++
    if (!(await gitService.repositories.exists(folderOf(row)))) missing.push(row.id)
  }
  if (count > 0 && missing.length === count)
    throw new Error(`none of ${count} repositories is on the disk: is DATA_DIR the right folder?`)
  let done = 0
  for (const id of missing) {
    signal.throwIfAborted()
    const did = await begin(async (tx) => {
      const row = await lockRepository(tx, id)
      const owner = row && (await accountById(tx, row.owner_id))
      if (!row || !owner || (await gitService.repositories.exists(folderOf(row)))) return false
      await work(tx, row, owner)
      return true
    })
    if (did) done++
  }
  return done
}
