import { zeroIdOf } from '../../git/program/names.ts'
import { setHeadBranch } from '../../git/repository/refs.ts'
import { found } from '../../http/route/problem.ts'
import { changeRefs, type RefRequest } from '../push/change-refs.ts'
import { problemOf } from '../repos/git-service.ts'
import { folderOf, lockRepository, updateRepository } from '../repos/repo-store.ts'
import type { Code } from './code.ts'

/**
 * Renames a branch. The default branch of the repository follows before the old name goes: a crash in between leaves
 * both branches and a default branch that exists.
 * @throws Problem 403, 404, 409, 503
 */
export async function renameBranch(
  context: Omit<RefRequest, 'row'>,
  { row }: Code,
  { from, to, commit }: { from: string; to: string; commit: string },
): Promise<void> {
  const none = zeroIdOf(commit)
  const created = { ref: `refs/heads/${to}`, before: none, after: commit }
  const deleted = { ref: `refs/heads/${from}`, before: commit, after: none }
  if (from !== row.default_branch) return changeRefs({ ...context, row }, [created, deleted])
  await changeRefs({ ...context, row }, [created])
  const moved = await context.begin(async (tx) => {
    const locked = found(await lockRepository(tx, row.id))
    if (locked.default_branch !== from) return locked
    const updated = await updateRepository(tx, locked, { default_branch: to })
    const path = context.tools.gitService.repositories.path(folderOf(locked)) ?? ''
    const pointed = await setHeadBranch(path, to)
    if (!pointed.ok) throw problemOf(pointed.fault)
    return updated
  })
  await changeRefs({ ...context, row: moved }, [deleted])
}
