import { done } from '../../../outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import { objectsNamed } from '../objects.ts'

/**
 * The ref that keeps the head of a pull request in its base repository. It can be fetched; it cannot be pushed
 * (`receive.hideRefs`), and is neither a branch nor a tag.
 */
export const pullRef = (number: number): string => `refs/pull/${number}/head`

/** The commit to which the ref of a pull request points; undefined if there is no such ref. Faults: those of git. */
export async function readPullRef(
  repository: OpenRepository,
  number: number,
): Promise<GitOutcome<string | undefined>> {
  const objects = await objectsNamed(repository, [`${pullRef(number)}^{commit}`])
  return objects.ok ? done(objects.value[0]?.id) : objects
}

/** Points the ref of a pull request to a commit of the same repository. Faults: name, those of git. */
export async function setPullRef(
  { git, directory }: OpenRepository,
  number: number,
  commit: string,
): Promise<GitOutcome<void>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  const moved = await git.run(directory, ['update-ref', '--no-deref', pullRef(number), commit])
  return moved.ok ? done(undefined) : moved
}

/** Removes the ref of a pull request, if there is one. Faults: those of git. */
export async function removePullRef(
  { git, directory }: OpenRepository,
  number: number,
): Promise<GitOutcome<void>> {
  const removed = await git.run(directory, ['update-ref', '--no-deref', '-d', pullRef(number)])
  return removed.ok ? done(undefined) : removed
}
