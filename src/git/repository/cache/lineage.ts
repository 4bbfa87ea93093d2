import { done } from '../../../common/outcome.ts'
import type { GitOutcome } from '../../program/outcome.ts'
import { readCommitObject, type StoredCommit } from '../commit.ts'
import type { KnownRepository } from './objects.ts'

/** Maximum commits that are read one after another; git compares longer histories faster. */
const maxCommits = 20

/**
 * The commits after an ancestor up to `tip`, newest first, if there are few and each has one parent, as after most
 * pushes: facts about the tip then follow from cached facts about the ancestor, without a run of git. Undefined for any
 * other history. Faults: those of git.
 */
export async function lineage(
  repository: KnownRepository,
  tip: string,
  ancestor: string,
): Promise<GitOutcome<StoredCommit[] | undefined>> {
  const commits: StoredCommit[] = []
  for (let id = tip; id !== ancestor; ) {
    const read = await readCommitObject(repository, id)
    if (!read.ok) return read
    const [parent, ...others] = read.value?.parents ?? []
    if (!read.value || parent === undefined || others.length > 0 || commits.length === maxCommits)
      return done(undefined)
    commits.push(read.value)
    id = parent
  }
  return done(commits)
}
