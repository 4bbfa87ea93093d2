import { done } from '../../../common/outcome.ts'
import { signedCommit } from '../../program/commit-signer.ts'
import type { GitOutcome } from '../../program/outcome.ts'
import { readCommitObject } from '../commit.ts'
import { commitObject, type Signature } from '../first-commit.ts'
import { formatOf, newObject, writeObjects } from '../write-objects.ts'
import type { CommitText, Made, Target } from './made.ts'
import { mergeTrees, writingInto } from './merge-tree.ts'
import { rebase } from './rebase.ts'
import type { RelatedPair } from './relation.ts'

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
    const tip = await readCommitObject(target.repository, rebased.value.commit)
    if (!tip.ok) return tip
    return write(target, tip.value?.tree ?? '', text, [pair.base, rebased.value.commit])
  })

/** `head` itself, if it has all commits of `base`. */
export const fastForward = (pair: RelatedPair): Promise<GitOutcome<Made>> =>
  ifRelated(pair, async () =>
    done(pair.mergeBase === pair.base ? { kind: 'made', commit: pair.head } : { kind: 'diverged' }),
  )

async function ifRelated(
  { base, head, mergeBase }: RelatedPair,
  make: () => Promise<GitOutcome<Made>>,
): Promise<GitOutcome<Made>> {
  if (mergeBase === undefined) return done({ kind: 'unrelated' })
  return mergeBase === head ? done({ kind: 'made', commit: base }) : make()
}

async function mergeInto(
  target: Target,
  pair: RelatedPair,
  text: CommitText,
  parents: readonly string[],
): Promise<GitOutcome<Made>> {
  const { repositories, repository } = target
  if (pair.mergeBase === pair.base) {
    // The base has no change of its own, so the files are those of the head.
    const head = await readCommitObject(repository, pair.head)
    return head.ok ? write(target, head.value?.tree ?? '', text, parents) : head
  }
  const merged = await repositories.withScratch(repository, formatOf(pair.base), (scratch) =>
    mergeTrees(scratch, [pair], { environment: writingInto(repository, scratch) }),
  )
  if (!merged.ok) return merged
  const [result] = merged.value
  if (result?.kind !== 'clean')
    return done({ kind: 'conflict', paths: result?.paths ?? [], commit: pair.head })
  return write(target, result.tree, text, parents)
}

async function write(
  { repository }: Target,
  tree: string,
  { author, committer, message }: CommitText,
  parents: readonly string[],
): Promise<GitOutcome<Made>> {
  const content = commitObject({ tree, parents, author, committer, message: `${message.trimEnd()}\n` })
  const commit = newObject(
    formatOf(tree),
    'commit',
    signedCommit(content, repository.git.signer, formatOf(tree) === 'sha256'),
  )
  const written = await writeObjects(repository, [commit])
  return written.ok ? done({ kind: 'made', commit: commit.id }) : written
}
