import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import type { GitOutcome } from '../../program/outcome.ts'
import { moveObjects, type ObjectFormat } from '../write-objects.ts'
import type { Made, Target } from './made.ts'

type NotMade = Exclude<Made, { kind: 'made' }>

/**
 * Calls `make` with an empty repository that also has the objects of the target. If it makes a commit, moves all objects that it
 * has written there to the target; otherwise the target stays as it is. Faults: gone, full, failed, those of `make`.
 */
export const madeInScratch = (
  { repositories, repository }: Target,
  format: ObjectFormat,
  make: (scratch: OpenRepository) => Promise<GitOutcome<NotMade | { kind: 'made'; commit: string }>>,
) =>
  repositories.withScratch<Made>(repository, format, async (scratch) => {
    const made = await make(scratch)
    if (!made.ok) return made
    if (made.value.kind !== 'made') return done(made.value)
    const { commit } = made.value
    const written = await moveObjects(scratch, repository)
    return written.ok ? done({ kind: 'made', commit, written: written.value }) : written
  })
