import type { Git } from '../program/git.ts'
import { isZeroId } from '../program/names.ts'
import { done, type GitOutcome } from '../program/outcome.ts'
import { listRefs } from '../repository/refs.ts'
import type { RefUpdate } from './push-request.ts'

/**
 * What of a push was done, as the refs themselves tell it: for when git did not come to say it. A ref that somebody has
 * moved on since does not tell. Faults: those of git.
 */
export async function movedUpdates(
  git: Git,
  repository: string,
  updates: readonly RefUpdate[],
): Promise<GitOutcome<RefUpdate[]>> {
  const listed = await listRefs(git, repository)
  if (!listed.ok) return listed
  const ids = new Map(listed.value.map(({ name, id }) => [name, id]))
  const moved = updates.filter(({ ref, before, after }) => {
    const now = ids.get(ref)
    return before !== after && (isZeroId(after) ? now === undefined : now === after)
  })
  return done(moved)
}
