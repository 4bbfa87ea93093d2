import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import type { GitOutcome } from '../../program/outcome.ts'
import type { Repositories } from '../repositories.ts'
import { formatOf } from '../write-objects.ts'
import { mergeTrees } from './merge-tree.ts'
import type { CommitPair } from './relation.ts'

/**
 * The paths that conflict when each of these pairs is merged, in their order; none: it merges cleanly. Runs one process,
 * and writes nothing into the repository. Pairs without a common ancestor are the caller's to refuse (`relationOf`).
 * Faults: name; old for a git before 2.39; full; those of git.
 */
export async function conflictsOf(
  repositories: Repositories,
  repository: OpenRepository,
  pairs: readonly CommitPair[],
): Promise<GitOutcome<string[][]>> {
  const [first] = pairs
  if (!first) return done([])
  const merged = await repositories.withScratch(repository, formatOf(first.base), (scratch) =>
    mergeTrees(scratch, pairs),
  )
  if (!merged.ok) return merged
  return done(merged.value.map((result) => (result.kind === 'clean' ? [] : result.paths)))
}
