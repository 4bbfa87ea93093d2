import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../program/git.ts'
import { fault, type GitOutcome, incomplete } from '../../program/outcome.ts'
import { readCommitObject } from '../commit.ts'
import { commitObject, type Signature, signatureLine } from '../first-commit.ts'
import { objectsNamed, readObject } from '../objects.ts'
import { formatOf, newCommitObject, newObject, removeTemporary, writeTemporary } from '../write-objects.ts'
import type { Made, Target } from './made.ts'
import { mergeTrees } from './merge-tree.ts'
import type { CommitPair } from './relation.ts'
import { madeInScratch } from './scratch.ts'

/** Maximum number of commits that are made anew; each takes a process. */
const maxCommits = 1000
/** Maximum bytes of a commit that is made anew. */
const maxCommitBytes = 1024 * 1024

/** A commit whose change is to be applied. */
interface Pick {
  id: string
  tree: string
  parents: readonly string[]
}

type Tip = Omit<Pick, 'parents'>

/**
 * Makes the commits that only `head` has anew on `base`, oldest first, with their authors and messages. Merges are left
 * out, and commits whose change `base` has already (git-rebase(1)); commits that follow on `base` as they are, are kept.
 * Faults: name, old, large, those of git.
 */
export async function rebase(
  target: Target,
  { base, head }: CommitPair,
  committer: Signature,
): Promise<GitOutcome<Made>> {
  const { repository } = target
  const picks = await commitsToApply(repository, { base, head })
  if (!picks.ok) return picks
  if (picks.value.length > maxCommits) return done({ kind: 'too many', most: maxCommits })
  const start = await readCommitObject(repository, base)
  if (!start.ok) return start
  if (!start.value) return incomplete(repository.directory, `${base} is not a readable commit`)
  let tip: Tip = { id: base, tree: start.value.tree }
  const rest = [...picks.value]
  while (rest[0]?.parents.length === 1 && rest[0].parents[0] === tip.id) tip = rest.shift() ?? tip
  if (rest.length === 0) return done({ kind: 'made', commit: tip.id, written: 0 })
  return madeInScratch(target, formatOf(base), async (scratch) => {
    for (const pick of rest) {
      const applied = await apply({ repository, scratch, committer }, tip, pick)
      if (!applied.ok) return applied
      if (applied.value.kind === 'conflict') return done(applied.value)
      tip = applied.value
    }
    return done({ kind: 'made', commit: tip.id })
  })
}

/** The commits that only `head` has, without merges and without those whose patch `base` has, too; oldest first. */
async function commitsToApply(
  { git, directory }: OpenRepository,
  { base, head }: CommitPair,
): Promise<GitOutcome<Pick[]>> {
  const selected = ['--reverse', '--topo-order', '--no-merges', '--cherry-pick', '--right-only']
  const shown = ['--no-commit-header', '--format=%H %T %P']
  const listed = await git.run(directory, ['rev-list', ...selected, ...shown, `${base}...${head}`, '--'])
  if (!listed.ok) return listed
  const lines = listed.value.toString('latin1').split('\n').slice(0, -1)
  return done(
    lines.map((line) => {
      const [id = '', tree = '', ...parents] = line.trim().split(' ')
      return { id, tree, parents }
    }),
  )
}

interface Application {
  repository: OpenRepository
  scratch: OpenRepository
  committer: Signature
}

/** The new tip; the same one if it has the change already. */
async function apply(
  { repository, scratch, committer }: Application,
  tip: Tip,
  pick: Pick,
): Promise<GitOutcome<(Tip & { kind: 'applied' }) | (Made & { kind: 'conflict' })>> {
  const side = siblingOf(pick, tip.tree, committer.at)
  await writeTemporary(scratch, [side])
  const merged = await mergeTrees(scratch, [{ base: side.id, head: pick.id }])
  await removeTemporary(scratch, side.id)
  if (!merged.ok) return merged
  const [result] = merged.value
  if (result?.kind !== 'clean') return done({ kind: 'conflict', paths: result?.paths ?? [], commit: pick.id })
  const { tree } = result
  if (tree === tip.tree) {
    const isEmpty = await changesNothing(repository, pick)
    if (!isEmpty.ok) return isEmpty
    if (!isEmpty.value) return done({ kind: 'applied', ...tip })
  }
  const read = await readObject(repository, pick.id, maxCommitBytes)
  if (!read.ok) return read
  if (!read.value || read.value.content.length < read.value.size)
    return fault('large', `the commit ${pick.id} cannot be read whole`)
  const content = anew(read.value.content, { tree, parent: tip.id, committer })
  const commit = newCommitObject(formatOf(tip.id), content, repository.git.signer)
  await writeTemporary(scratch, [commit])
  return done({ kind: 'applied', id: commit.id, tree })
}

/**
 * A commit with the files of the tip and the parents of another one, so that git merges the change of that one only. It is
 * new: git looks for the common ancestor in the order of times, and would read the whole history before an old one.
 */
function siblingOf({ id, parents }: Pick, tree: string, at: Signature['at']) {
  const nobody = { name: 'nobody', email: '', at }
  const content = commitObject({ tree, parents, author: nobody, committer: nobody, message: '' })
  return newObject(formatOf(id), 'commit', content)
}

/** Whether a commit has the files of its parent. */
async function changesNothing(
  repository: OpenRepository,
  { tree, parents: [parent] }: Pick,
): Promise<GitOutcome<boolean>> {
  if (parent === undefined) return done(false)
  const trees = await objectsNamed(repository, [`${parent}^{tree}`])
  return trees.ok ? done(trees.value[0]?.id === tree) : trees
}

/**
 * A commit with another tree, parent and committer: author, encoding and message stay as they are, byte by byte; a
 * signature would not be valid any more.
 */
function anew(
  content: Buffer,
  { tree, parent, committer }: { tree: string; parent: string; committer: Signature },
): Buffer {
  const end = content.indexOf('\n\n')
  const head = content.subarray(0, end < 0 ? content.length : end)
  const kept = (header: string) =>
    head
      .toString('latin1')
      .split('\n')
      .filter((line) => line.startsWith(`${header} `))
      .map((line) => Buffer.from(`${line}\n`, 'latin1'))
  return Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${parent}\n`),
    ...kept('author'),
    Buffer.from(`committer ${signatureLine(committer)}\n`),
    ...kept('encoding'),
    end < 0 ? Buffer.from('\n') : content.subarray(end + 1),
  ])
}
