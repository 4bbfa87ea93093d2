import { done } from '../../../common/outcome.ts'
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
  const moved = await git.transact(directory, [`update ${pullRef(number)} ${commit}`])
  return moved.ok ? done(undefined) : moved
}

/** Removes the ref of a pull request, if there is one. Faults: those of git. */
export async function removePullRef(
  { git, directory }: OpenRepository,
  number: number,
): Promise<GitOutcome<void>> {
  const removed = await git.transact(directory, [`delete ${pullRef(number)}`])
  return removed.ok ? done(undefined) : removed
}

/** The numbers of the pull requests whose heads a branch contains since a move. Faults: name, those of git. */
export async function mergedPullRefs(
  { git, directory }: OpenRepository,
  { before, after }: { before: string; after: string },
): Promise<GitOutcome<number[]>> {
  if (!isObjectId(before) || !isObjectId(after)) return fault('name', `not object ids: ${before} ${after}`)
  const selection = [`--merged=${after}`, `--no-merged=${before}`, '--format=%(refname)', '--', 'refs/pull']
  const listed = await git.run(directory, ['for-each-ref', ...selection])
  if (!listed.ok) return listed
  const refs = listed.value.toString('latin1').matchAll(/^refs\/pull\/(\d+)\/head$/gm)
  return done([...refs].map(([, number]) => Number(number)))
}

/**
 * The first merge that brought a head to a commit, or the head itself, if the branch was moved forward to it. Faults: name,
 * those of git.
 */
export async function mergingCommit(
  { git, directory }: OpenRepository,
  { head, after }: { head: string; after: string },
): Promise<GitOutcome<string>> {
  if (!isObjectId(head) || !isObjectId(after)) return fault('name', `not object ids: ${head} ${after}`)
  const between = ['--ancestry-path', '--merges', '--reverse', `${head}..${after}`, '--']
  const listed = await git.run(directory, ['rev-list', ...between])
  return listed.ok ? done(listed.value.toString('latin1').split('\n', 1)[0] || head) : listed
}
