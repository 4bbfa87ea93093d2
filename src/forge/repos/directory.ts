import type { Begin, Sql } from '../../db/sql.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { accountById } from '../accounts/account.ts'
import { record } from '../admin/audit-trail.ts'
import type { ForgeTools } from '../route.ts'
import { misplacedAt, misplacedRepositories, unfinishedBefore } from './census.ts'
import { announce } from './events.ts'
import {
  deleteReleased,
  deleteUnmade,
  finishRepository,
  folderOf,
  lockPlaces,
  type Unfinished,
  updateFolder,
} from './repo-store.ts'

/**
 * Rows and directories agree, because the row says first what is about to happen to the directory: it is `making` while
 * the directory is made, `removing` while it is removed, and names the folder it lies in until it has been moved. Each
 * step can be done again, and is, by `repair`.
 */

/** A repository that cannot be moved now. */
class Stays extends Error {}

/** What these steps stand on. */
export interface DirectoryDeps {
  sql: Sql
  begin: Begin
  tools: Pick<ForgeTools, 'gitService' | 'secrets' | 'root'>
}

/** Removes directories of released repositories, then their rows. What the disk refuses is left for `repair`. */
export async function removeReleased(
  { sql, tools }: Pick<DirectoryDeps, 'sql' | 'tools'>,
  released: readonly Unfinished[],
): Promise<void> {
  for (const row of released) {
    const removed = await tools.gitService.repositories.remove(folderOf(row))
    // No directory can have a name that is none.
    if (removed.ok || removed.fault.kind === 'name') await deleteReleased(sql, row.id)
  }
}

/** Moves repositories to where they are called: those of one owner, or all. Gives how many could be, and how many not. */
export async function settle(
  parts: Pick<DirectoryDeps, 'sql' | 'begin' | 'tools'>,
  owner: number | null,
): Promise<{ moved: number; left: number }> {
  const settled = { moved: 0, left: 0 }
  for (const { id } of await misplacedRepositories(parts.sql, owner)) {
    if (await move(parts, id)) settled.moved++
    else settled.left++
  }
  return settled
}

/** Moves a repository of another name out of a folder that is wanted. False when none could be. */
export async function vacate(
  parts: Pick<DirectoryDeps, 'sql' | 'begin' | 'tools'>,
  folder: RepositoryPath,
): Promise<boolean> {
  const id = await misplacedAt(parts.sql, folder)
  return id !== undefined && (await move(parts, id))
}

/** A rename on the disk is quick; within the transaction it is the last thing, so that the row waits for it. */
async function move({ begin, tools }: Pick<DirectoryDeps, 'begin' | 'tools'>, id: number): Promise<boolean> {
  const { repositories } = tools.gitService
  const moving = begin(async (tx) => {
    const row = await lockPlaces(tx, id)
    if (!row) return
    const [from, to]: RepositoryPath[] = [folderOf(row), { owner: row.owner, name: row.name }]
    if (!from || !to || (from.owner === to.owner && from.name === to.name)) return
    await updateFolder(tx, id, to)
    // A crash may have come between the disk and the commit.
    if (!(await repositories.exists(from)) && (await repositories.exists(to))) return
    const moved = await repositories.move(from, to)
    if (!moved.ok) throw new Stays(moved.fault.log)
  })
  return mapConstraints(moving, ({ constraint }) => {
    // Another repository still lies there.
    if (constraint === 'repository_folder_unique') throw new Stays(constraint)
    return undefined
  }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Stays) return false
      throw error
    },
  )
}

/**
 * Brings to its end what was begun before a moment: a repository that is there is shown, one that is not is forgotten,
 * what was released is removed. Gives how many rows it looked at.
 */
export async function repair(parts: DirectoryDeps, before: Date): Promise<number> {
  const unfinished = await unfinishedBefore(parts.sql, before, 1000)
  for (const row of unfinished) {
    if (row.state === 'removing') await removeReleased(parts, [row])
    else await finishOrForget(parts, row)
  }
  return unfinished.length
}

async function finishOrForget({ sql, begin, tools }: DirectoryDeps, row: Unfinished): Promise<void> {
  const { repositories } = tools.gitService
  if (!(await repositories.exists(folderOf(row)))) return deleteUnmade(sql, row.id)
  const bytes = await repositories.bytes(folderOf(row))
  await begin(async (tx) => {
    const made = await finishRepository(tx, row.id, bytes)
    const owner = made && (await accountById(tx, made.owner_id))
    if (!made || !owner) return
    await announce(tx, tools, { action: 'created', row: made, owner, sender: owner, host: tools.root })
    const target = { kind: 'repository', id: made.id, name: `${owner.name}/${made.name}` }
    await record(tx, 'cron task', { action: 'repository.created', target, details: { repaired: true } })
  })
}
