import { done } from '../../../common/outcome.ts'
import { largestCompared, plainDiff } from '../../program/diff-options.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import type { CommitPair } from './relation.ts'

/** Maximum bytes of a difference that is compared with another one. */
const maxBytes = 8 * 1024 * 1024
const plain = [...plainDiff, '--no-renames', '--full-index']

/**
 * Whether two heads change their bases in the same way: the same lines of the same files, wherever in them. A difference that
 * is too large to compare is another one. Faults: name, those of git.
 */
export async function makesSameChange(
  repository: OpenRepository,
  one: CommitPair,
  other: CommitPair,
): Promise<GitOutcome<boolean>> {
  const before = await changeOf(repository, one)
  if (!before.ok) return before
  const after = await changeOf(repository, other)
  if (!after.ok) return after
  return done(before.value !== undefined && before.value === after.value)
}

/** The difference without what depends on the rest of the files; undefined: it is too large. */
async function changeOf(
  { git, directory }: OpenRepository,
  { base, head }: CommitPair,
): Promise<GitOutcome<string | undefined>> {
  if (![base, head].every(isObjectId)) return fault('name', `not object ids: ${base} ${head}`)
  const command = [...largestCompared, 'diff-tree', '-r', '-p', '--unified=0', ...plain, base, head, '--']
  const read = await git.run(directory, command, { maxBytes, truncate: true })
  if (!read.ok) return read
  if (read.value.length >= maxBytes) return done(undefined)
  const text = read.value.toString('latin1')
  // Binary files have no lines: their ids are the change.
  const dropped = /^Binary files /m.test(text) ? /^@@ / : /^(?:@@|index) /
  const isKept = (line: string) => !dropped.test(line)
  return done(text.split('\n').filter(isKept).join('\n'))
}
