import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isZeroId } from '../program/names.ts'
import type { GitOutcome } from '../program/outcome.ts'
import type { RefUpdate } from '../repository/move-refs.ts'
import { listRefs } from '../repository/refs.ts'

/**
 * The updates of a push that git has carried out without reporting them, determined from the current refs. A ref that has
 * been changed again since does not count. Faults: those of git.
 */
export async function appliedUpdates(
  repository: OpenRepository,
  updates: readonly RefUpdate[],
): Promise<GitOutcome<RefUpdate[]>> {
  const listed = await listRefs(repository, ['refs/heads', 'refs/tags', 'refs/notes'])
  if (!listed.ok) return listed
  const ids = new Map(listed.value.map(({ name, id }) => [name, id]))
  const moved = updates.filter(({ ref, before, after }) => {
    const current = ids.get(ref)
    return before !== after && (isZeroId(after) ? current === undefined : current === after)
  })
  return done(moved)
}
