import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isZeroId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { objectOf } from '../program/reader.ts'
import { commitIn, type StoredCommit } from './commit.ts'

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

/** Maximum bytes of the commits of one run of git. */
const maxCommitsBytes = 16 * 1024 * 1024
/** Maximum commits that a branch gets at once where each is read. */
const maxCommitsRead = 10_000
const commitsPerRun = 500

/**
 * The commits that a branch gets, newest first, some at a time; for a new branch, those that no branch and no tag has.
 * Faults: name, large beyond `maxCommitsRead`, those of git.
 */
export async function* commitsOfMove(
  { git, directory }: OpenRepository,
  { before, after }: Move,
): AsyncGenerator<GitOutcome<StoredCommit[]>> {
  if (![before, after].every(isObjectId)) return yield fault('name', `not object ids: ${before} ${after}`)
  const selection = isZeroId(before) ? [after, '--not', '--branches', '--tags'] : [after, `^${before}`]
  const listed = await git.run(directory, [
    'rev-list',
    `--max-count=${maxCommitsRead + 1}`,
    ...selection,
    '--',
  ])
  if (!listed.ok) return yield listed
  const ids = listed.value.toString('latin1').split('\n').filter(isObjectId)
  if (ids.length > maxCommitsRead) return yield fault('large', `more than ${maxCommitsRead} commits`)
  for (let at = 0; at < ids.length; at += commitsPerRun) {
    const input = `${ids.slice(at, at + commitsPerRun).join('\n')}\n`
    const read = await git.run(directory, ['cat-file', '--batch'], { input, maxBytes: maxCommitsBytes })
    yield read.ok ? done(commitsIn(read.value)) : read
  }
}

/** The commits in the output of `git cat-file --batch`: for each a line about it, its content and a line feed. */
function commitsIn(output: Buffer): StoredCommit[] {
  const commits: StoredCommit[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at)
    const object = objectOf(output.toString('latin1', at, end))
    if (!object) return commits
    const start = end + 1
    at = start + object.size + 1
    commits.push({ id: object.id, ...commitIn(output.subarray(start, start + object.size)) })
  }
  return commits
}

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
