import { done } from '../../../outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { fault, type GitOutcome } from '../../program/outcome.ts'

/** Two commits, by id: `head` is to be merged into `base`. */
export interface CommitPair {
  base: string
  head: string
}

/** How the histories of two commits are related. */
export interface Relation {
  /** The best common ancestor (git-merge-base(1)); undefined: they have none. */
  mergeBase: string | undefined
  /** Number of commits that only `head` has. */
  ahead: number
  /** Number of commits that only `base` has. */
  behind: number
}

/** Faults: name, those of git. */
export async function relationOf(
  repository: OpenRepository,
  pair: CommitPair,
): Promise<GitOutcome<Relation>> {
  const [mergeBase, counts] = await Promise.all([mergeBaseOf(repository, pair), countsOf(repository, pair)])
  if (!mergeBase.ok) return mergeBase
  return counts.ok ? done({ mergeBase: mergeBase.value, ...counts.value }) : counts
}

/** The best common ancestor of two commits; undefined if they have none. Faults: name, those of git. */
export async function mergeBaseOf(
  { git, directory }: OpenRepository,
  { base, head }: CommitPair,
): Promise<GitOutcome<string | undefined>> {
  if (!isObjectId(base) || !isObjectId(head)) return fault('name', `not object ids: ${base} ${head}`)
  // It prints both commits, and `^` with each merge base; git-merge-base(1) reports none as a failure.
  const read = await git.run(directory, ['rev-parse', `${base}...${head}`])
  if (!read.ok) return read
  return done(/^\^([0-9a-f]+)$/m.exec(read.value.toString('latin1'))?.[1])
}

async function countsOf(
  { git, directory }: OpenRepository,
  { base, head }: CommitPair,
): Promise<GitOutcome<Pick<Relation, 'ahead' | 'behind'>>> {
  if (!isObjectId(base) || !isObjectId(head)) return fault('name', `not object ids: ${base} ${head}`)
  const read = await git.run(directory, ['rev-list', '--count', '--left-right', `${base}...${head}`, '--'])
  if (!read.ok) return read
  const [behind = 0, ahead = 0] = read.value.toString('latin1').split('\t').map(Number)
  return done({ ahead, behind })
}
