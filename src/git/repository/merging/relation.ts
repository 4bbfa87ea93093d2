import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { isObjectId } from '../../program/names.ts'
import { fault, type GitOutcome, incomplete } from '../../program/outcome.ts'

/** Two commits, by id: `head` is to be merged into `base`. */
export interface CommitPair {
  base: string
  head: string
}

/** The same with their best common ancestor (git-merge-base(1)); undefined: they have none. */
export interface RelatedPair extends CommitPair {
  mergeBase: string | undefined
}

/** How the histories of two commits are related. */
export interface Relation extends Pick<RelatedPair, 'mergeBase'> {
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
  repository: OpenRepository,
  pair: CommitPair,
): Promise<GitOutcome<string | undefined>> {
  const bases = await mergeBasesOf(repository, [pair])
  return bases.ok ? done(bases.value[0]) : bases
}

/** The best common ancestors of pairs, in their order, by one run. Faults: name, those of git. */
export async function mergeBasesOf(
  { git, directory }: OpenRepository,
  pairs: readonly CommitPair[],
): Promise<GitOutcome<(string | undefined)[]>> {
  if (pairs.length === 0) return done([])
  const wrong = pairs.find(({ base, head }) => !isObjectId(base) || !isObjectId(head))
  if (wrong) return fault('name', `not object ids: ${wrong.base} ${wrong.head}`)
  // It prints both commits, and `^` with each merge base; git-merge-base(1) reports none as a failure, and takes one pair.
  const read = await git.run(directory, ['rev-parse', ...pairs.map(({ base, head }) => `${base}...${head}`)])
  if (!read.ok) return read
  const groups = read.value.toString('latin1').match(/(?:^[0-9a-f]+\n){2}(?:^\^[0-9a-f]+\n)*/gm) ?? []
  if (groups.length !== pairs.length)
    return incomplete(directory, `git named ${groups.length} of ${pairs.length} pairs`)
  return done(groups.map((group) => /^\^([0-9a-f]+)$/m.exec(group)?.[1]))
}

/** The numbers of commits that only one of two commits has. Faults: name, those of git. */
export async function countsOf(
  { git, directory }: OpenRepository,
  { base, head }: CommitPair,
): Promise<GitOutcome<Pick<Relation, 'ahead' | 'behind'>>> {
  if (!isObjectId(base) || !isObjectId(head)) return fault('name', `not object ids: ${base} ${head}`)
  const read = await git.run(directory, ['rev-list', '--count', '--left-right', `${base}...${head}`, '--'])
  if (!read.ok) return read
  const [behind = 0, ahead = 0] = read.value.toString('latin1').split('\t').map(Number)
  return done({ ahead, behind })
}
