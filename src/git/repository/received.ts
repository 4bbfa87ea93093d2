import { done } from '../../outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isZeroId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'

/** Reads the commits of a push before the refs move. */

/** A ref that is about to move; zeros before: it is created. */
interface Move {
  before: string
  after: string
}

/** Maximum bytes of a list of paths. */
const maxPathBytes = 64 * 1024 * 1024

/** The repository with the objects of a push, which git finds in the environment `received` (`MayMove`). */
export const withReceived = (
  { git, directory }: OpenRepository,
  received: Readonly<Record<string, string>>,
): OpenRepository => ({
  directory,
  git: {
    ...git,
    run: (folder, args, options) =>
      git.run(folder, args, { ...options, environment: { ...options?.environment, ...received } }),
  },
})

/** Whether a branch keeps all of its commits; a new one does. Faults: name, those of git. */
export async function keepsCommits(
  repository: OpenRepository,
  { before, after }: Move,
): Promise<GitOutcome<boolean>> {
  if (isZeroId(before)) return done(true)
  const lost = await firstOf(repository, [before, after], [before, `^${after}`])
  return lost.ok ? done(lost.value === undefined) : lost
}

/** The newest commit that a branch gets; for a new branch, one that no branch and no tag has. Faults: name, those of git. */
export const newestOfMove = (repository: OpenRepository, { before, after }: Move) =>
  firstOf(
    repository,
    [before, after],
    isZeroId(before) ? [after, '--not', '--branches', '--tags'] : [after, `^${before}`],
  )

/**
 * The paths that differ before and after; for a new branch, the paths that its commits change, without commits of other
 * branches. Faults: name, large, those of git.
 */
export async function pathsOfMove(
  { git, directory }: OpenRepository,
  { before, after }: Move,
): Promise<GitOutcome<string[]>> {
  if (![before, after].every(isObjectId)) return fault('name', `not object ids: ${before} ${after}`)
  const names = ['-z', '--name-only', '--no-renames']
  const args = isZeroId(before)
    ? ['log', '--format=', '-c', ...names, after, '--not', '--branches', '--']
    : ['diff-tree', '-r', ...names, before, after, '--']
  const read = await git.run(directory, args, { maxBytes: maxPathBytes })
  if (!read.ok) return read
  return done([...new Set(read.value.toString('utf8').split('\0'))].filter((path) => path !== ''))
}

/** The first commit of a selection of git-rev-list(1); undefined: there is none. */
async function firstOf(
  { git, directory }: OpenRepository,
  ids: readonly string[],
  selection: readonly string[],
): Promise<GitOutcome<string | undefined>> {
  if (!ids.every(isObjectId)) return fault('name', `not object ids: ${ids.join(' ')}`)
  const listed = await git.run(directory, ['rev-list', '--max-count=1', ...selection, '--'])
  return listed.ok ? done(listed.value.toString('latin1').trim() || undefined) : listed
}
