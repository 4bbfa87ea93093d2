import { join } from 'node:path'
import { sync } from '../../../common/fsync.ts'
import { done, failed } from '../../../common/outcome.ts'
import { alternateObjects } from '../../program/environment.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { diskFault, fault, type GitOutcome, orGone } from '../../program/outcome.ts'

/** The pack is complete without objects of the other repository, and is not written if it would be empty. */
const packing = [
  'pack-objects',
  '--quiet',
  '--revs',
  '--delta-base-offset',
  '--non-empty',
  'objects/pack/pack',
]

/**
 * Copies a commit of one repository into another, with all that it refers to, except for what `known` commits of the
 * latter refer to. When it returns, the objects are on the disk; no ref points to them yet. Runs in the queue of fetches.
 * Faults: name, full, those of git.
 */
export async function copyCommits(
  from: OpenRepository,
  to: OpenRepository,
  { commit, known }: { commit: string; known: readonly string[] },
): Promise<GitOutcome<void>> {
  if (![commit, ...known].every(isObjectId))
    return fault('name', `not object ids: ${commit} ${known.join(' ')}`)
  const environment = alternateObjects(from.directory)
  const opened = await to.git.stream(to.directory, packing, { environment })
  if (!opened.ok) return opened
  const { stdin, chunks, ended } = opened.value
  stdin.end([commit, ...known.map((id) => `^${id}`), ''].join('\n'))
  await chunks(async () => {})
  const { fault: failure } = await ended
  if (failure) return orGone(failed(failure), from.directory)
  try {
    await sync(join(to.directory, 'objects/pack'))
    return done(undefined)
  } catch (error) {
    return diskFault(error)
  }
}
