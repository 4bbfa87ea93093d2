import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'
import type { CommitPair } from './relation.ts'

/** The result of a merge of two commits: the id of its tree, or the paths of its conflicts. */
type MergedTree = { kind: 'clean'; tree: string } | { kind: 'conflict'; paths: string[] }

/** The environment of git sets `diff.renames`, from which merges would take it, and `core.fsync`. */
const settings = ['-c', 'merge.renames=true', '-c', 'core.fsync=none']

const options = [
  '--write-tree',
  '--stdin',
  '--name-only',
  '--no-messages',
  '-z',
  '--allow-unrelated-histories',
]

/** Maximum bytes of ids and paths of conflicts. */
const maxBytes = 16 * 1024 * 1024

/**
 * Merges pairs of commits in one process, and writes the objects of the results, without a sync, into a repository that is
 * removed soon (`Repositories.withScratch`); the result of each pair, in their order. Commits without a common ancestor merge as
 * if it had no files. Faults: name; old for a git before 2.39; those of git.
 */
export async function mergeTrees(
  { git, directory }: OpenRepository,
  pairs: readonly CommitPair[],
): Promise<GitOutcome<MergedTree[]>> {
  const invalid = pairs.find(({ base, head }) => !isObjectId(base) || !isObjectId(head))
  if (invalid) return fault('name', `not object ids: ${JSON.stringify(invalid)}`)
  if (pairs.length === 0) return done([])
  const input = pairs.map(({ base, head }) => `${base} ${head}\n`).join('')
  const read = await git.run(directory, [...settings, 'merge-tree', ...options], { input, maxBytes })
  if (!read.ok) return isUnknownOption(read.fault.log) ? fault('old', read.fault.log) : read
  const results = resultsIn(read.value.toString('utf8').split('\0'))
  return results.length === pairs.length
    ? done(results)
    : fault('failed', `git merged ${results.length} of ${pairs.length} pairs`)
}

/** Git exits with this status if its arguments are wrong. */
const isUnknownOption = (log: string) => log.includes('ended with 129')

/** Parses for each pair: 1 for a clean merge, the id of the tree, the paths of the conflicts, and an empty token. */
function resultsIn(tokens: readonly string[]): MergedTree[] {
  const results: MergedTree[] = []
  for (let at = 0; at + 2 < tokens.length; ) {
    const [clean, tree = ''] = tokens.slice(at, at + 2)
    const end = tokens.indexOf('', at + 2)
    if (end < 0) break
    const paths = tokens.slice(at + 2, end)
    results.push(clean === '1' ? { kind: 'clean', tree } : { kind: 'conflict', paths })
    at = end + 1
  }
  return results
}
