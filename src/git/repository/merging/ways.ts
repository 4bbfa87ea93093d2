import { done } from '../../../common/outcome.ts'
import { type GitOutcome, incomplete } from '../../program/outcome.ts'
import { readCommitObject } from '../commit.ts'
import { commitObject, type Signature } from '../first-commit.ts'
import { formatOf, type NewObject, newCommitObject, writeObjects, writeTemporary } from '../write-objects.ts'
import type { CommitText, Made, Target } from './made.ts'
import { mergeTrees } from './merge-tree.ts'
import { rebase } from './rebase.ts'
import type { RelatedPair } from './relation.ts'
import { madeInScratch } from './scratch.ts'

/**
 * The ways of merging `head` into `base`. They change no ref: objects of a merge whose branch does not move later are
 * removed by git-gc(1). Faults of all: name; old for a git before 2.39; large, full; those of git.
 */

/** A merge commit, also where `base` could move to `head`. */
export const mergeCommit = (target: Target, pair: RelatedPair, text: CommitText) =>
  ifRelated(pair, () => mergeInto(target, pair, text, [pair.base, pair.head]))

/** One commit on `base` with all changes of `head`. */
export const squashCommit = (target: Target, pair: RelatedPair, text: CommitText) =>
  ifRelated(pair, () => mergeInto(target, pair, text, [pair.base]))

/** The commits of `head` made anew on `base` (`rebase.ts`). */
export const rebaseCommits = (target: Target, pair: RelatedPair, committer: Signature) =>
  ifRelated(pair, () => rebase(target, pair, committer))

/** The commits of `head` made anew on `base`, and a merge commit of them. */
export const rebaseAndMerge = (target: Target, pair: RelatedPair, text: CommitText) =>
  ifRelated(pair, async () => {
    const rebased = await rebase(target, pair, text.committer)
    if (!rebased.ok || rebased.value.kind !== 'made' || rebased.value.commit === pair.base) return rebased
    const { commit, written } = rebased.value
    const merged = await commitWithFilesOf(target, commit, text, [pair.base, commit])
    if (!merged.ok || merged.value.kind !== 'made') return merged
    return done({ ...merged.value, written: written + merged.value.written })
  })

/** `head` itself, if it has all commits of `base`. */
export const fastForward = (pair: RelatedPair): Promise<GitOutcome<Made>> =>
  ifRelated(pair, async () =>
    done(
      pair.mergeBase === pair.base ? { kind: 'made', commit: pair.head, written: 0 } : { kind: 'diverged' },
    ),
  )

async function ifRelated(
  { base, head, mergeBase }: RelatedPair,
  make: () => Promise<GitOutcome<Made>>,
): Promise<GitOutcome<Made>> {
  if (mergeBase === undefined) return done({ kind: 'unrelated' })
  return mergeBase === head ? done({ kind: 'made', commit: base, written: 0 }) : make()
}

async function mergeInto(
  target: Target,
  pair: RelatedPair,
  text: CommitText,
  parents: readonly string[],
): Promise<GitOutcome<Made>> {
  // Where the base has no change of its own, the files are those of the head.
  if (pair.mergeBase === pair.base) return commitWithFilesOf(target, pair.head, text, parents)
  return madeInScratch(target, formatOf(pair.base), async (scratch) => {
    const merged = await mergeTrees(scratch, [pair])
    if (!merged.ok) return merged
    const [result] = merged.value
    if (result?.kind !== 'clean')
      return done({ kind: 'conflict', paths: result?.paths ?? [], commit: pair.head })
    const commit = newCommit(target, { tree: result.tree, parents, ...text })
    await writeTemporary(scratch, [commit])
    return done({ kind: 'made', commit: commit.id })
  })
}

/** A commit with the files of another one. */
async function commitWithFilesOf(
  target: Target,
  other: string,
  text: CommitText,
  parents: readonly string[],
): Promise<GitOutcome<Made>> {
  const read = await readCommitObject(target.repository, other)
  if (!read.ok) return read
  if (!read.value) return incomplete(target.repository.directory, `${other} is not a readable commit`)
  const commit = newCommit(target, { tree: read.value.tree, parents, ...text })
  const written = await writeObjects(target.repository, [commit])
  return written.ok ? done({ kind: 'made', commit: commit.id, written: written.value }) : written
}

function newCommit(
  { repository }: Target,
  { message, ...rest }: CommitText & { tree: string; parents: readonly string[] },
): NewObject {
  const content = commitObject({ ...rest, message: `${message.trimEnd()}\n` })
  return newCommitObject(formatOf(rest.tree), content, repository.git.signer)
}
