import { retrySerialization } from '../../db/begin.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { Problem } from '../../http/route/problem.ts'
import { accountById } from '../accounts/account-store.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import type { ForgeTools } from '../route.ts'
import { emitRepositoryEvent } from './events.ts'
import { misplacedAt, misplacedRepositories, unfinishedBefore } from './repo-query-store.ts'
import {
  deleteReleased,
  deleteUnmade,
  finishRepository,
  folderOf,
  lockPaths,
  type RepositoryPlace,
  updateFolder,
} from './repo-store.ts'

/**
 * Keeps rows and directories consistent. The row announces what happens to the directory: its state is `making` while
 * the directory is created and `removing` while it is deleted, and it names the old directory until that has been
 * moved. Each step can be repeated; `repair` repeats unfinished ones.
 */

/** The directory of a repository cannot be moved now. */
class CannotMoveError extends Error {}

/** Dependencies of these functions. */
export interface DirectoryDeps {
  sql: Sql
  begin: Begin
  tools: Pick<ForgeTools, 'gitService' | 'licenseDetector' | 'secrets' | 'root' | 'log'>
}

/**
 * Deletes the directories of released repositories, then their rows. The deletion itself is committed already, so the
 * request succeeds even if the disk or the database fails now: the row stays for `repair`.
 */
export async function removeReleased(
  { sql, tools }: Pick<DirectoryDeps, 'sql' | 'tools'>,
  released: readonly RepositoryPlace[],
): Promise<void> {
  for (const row of released) {
    try {
      const removed = await tools.gitService.repositories.remove(folderOf(row))
      // A directory with an invalid name cannot exist.
      if (removed.ok || removed.fault.kind === 'name')
        await retrySerialization(() => deleteReleased(sql, row.id))
    } catch (error) {
      tools.log.warn('cannot finish the deletion of a repository yet', {
        repository: row.id,
        error: String(error),
      })
    }
  }
}

/**
 * Moves directories to the current names of their repositories: those of one owner, or all. Returns how many were moved
 * and how many could not be.
 */
export async function moveMisplaced(
  deps: Pick<DirectoryDeps, 'sql' | 'begin' | 'tools'>,
  owner: number | null,
): Promise<{ moved: number; left: number }> {
  const counts = { moved: 0, left: 0 }
  for (const { id } of await misplacedRepositories(deps.sql, owner)) {
    if (await move(deps, id)) counts.moved++
    else counts.left++
  }
  return counts
}

/**
 * Moves a renamed repository out of a directory that another one needs. False if nothing was moved.
 */
export async function freeDirectory(
  deps: Pick<DirectoryDeps, 'sql' | 'begin' | 'tools'>,
  folder: RepositoryPath,
): Promise<boolean> {
  const id = await misplacedAt(deps.sql, folder)
  return id !== undefined && (await move(deps, id))
}

/**
 * Moves the directory as the last step of the transaction. A rename on disk is quick, so the row lock is held briefly.
 */
async function move({ begin, tools }: Pick<DirectoryDeps, 'begin' | 'tools'>, id: number): Promise<boolean> {
  const { repositories } = tools.gitService
  const moving = begin(async (tx) => {
    const row = await lockPaths(tx, id)
    if (!row) return
    const [from, to]: RepositoryPath[] = [folderOf(row), { owner: row.owner, name: row.name }]
    if (!from || !to || (from.owner === to.owner && from.name === to.name)) return
    await updateFolder(tx, id, to)
    // A crash may have happened between the move and the commit.
    if (!(await repositories.exists(from)) && (await repositories.exists(to))) return
    const moved = await repositories.move(from, to)
    if (!moved.ok) throw new CannotMoveError(moved.fault.log)
  })
  const occupied = 'another repository still occupies the directory'
  return mapConstraints(moving, { repository_folder_unique: [409, occupied] }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof CannotMoveError || (error instanceof Problem && error.message === occupied))
        return false
      throw error
    },
  )
}

/**
 * Completes creations started before `before` and all deletions: makes a repository visible if its directory exists,
 * deletes its row if not, and deletes released repositories. Returns the number of rows processed.
 */
export async function repair(deps: DirectoryDeps, before: Date): Promise<number> {
  const unfinished = await unfinishedBefore(deps.sql, before, 1000)
  for (const row of unfinished) {
    if (row.state === 'removing') await removeReleased(deps, [row])
    else await finishOrForget(deps, row)
  }
  return unfinished.length
}

async function finishOrForget({ sql, begin, tools }: DirectoryDeps, row: RepositoryPlace): Promise<void> {
  const { repositories } = tools.gitService
  if (!(await repositories.exists(folderOf(row)))) return deleteUnmade(sql, row.id)
  const bytes = await repositories.bytes(folderOf(row))
  await begin(async (tx) => {
    const made = await finishRepository(tx, row.id, bytes)
    const owner = made && (await accountById(tx, made.owner_id))
    if (!made || !owner) return
    const facts = { action: 'created', row: made, owner, sender: owner, host: tools.root } as const
    await emitRepositoryEvent(tx, tools, facts)
    const target = repositoryTarget(made, owner)
    await record(tx, 'cron task', { action: 'repository.created', target, details: { repaired: true } })
  })
}
