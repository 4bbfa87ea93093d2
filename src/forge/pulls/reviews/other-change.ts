import type { OpenRepository } from '../../../git/program/git.ts'
import type { CommitPair } from '../../../git/repository/merging/relation.ts'
import { makesSameChange } from '../../../git/repository/merging/same-change.ts'
import { gitValue } from '../../repos/code.ts'

/** Whether two heads propose different changes; also if one has no common ancestor with its base (""). @throws Problem 503 */
export const isOtherChange = async (
  repository: OpenRepository,
  one: CommitPair,
  other: CommitPair,
): Promise<boolean> =>
  one.base === '' || other.base === '' || !gitValue(await makesSameChange(repository, one, other))
