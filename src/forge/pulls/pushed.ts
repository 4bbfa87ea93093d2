import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { inTransaction } from '../../git/program/in-transaction.ts'
import { isZeroId } from '../../git/program/names.ts'
import { copyCommits } from '../../git/repository/merging/copy-commits.ts'
import { setPullRef } from '../../git/repository/merging/pull-refs.ts'
import { mergeBaseOf } from '../../git/repository/merging/relation.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { found } from '../../http/route/problem.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import type { GitService } from '../git-service.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { lockIssue, lockIssues, touchIssue } from '../issues/issue-store.ts'
import { isDraft } from '../protocol/draft-title.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { gitValue } from '../repos/code.ts'
import { folderOf, type Repository, repositoryById } from '../repos/repo-store.ts'
import { emitIssueActivity } from '../watching/events.ts'
import { closePullsOf, type PushSender } from './deleted-branches.ts'
import { cancelAutoMergeByStranger } from './merging/auto-merge.ts'
import { completeMerge } from './merging/completion.ts'
import { mergesOfPush, type PushedMerge } from './merging/pushed-merges.ts'
import { actingAs, emitPullEvents } from './pull-events.ts'
import {
  moveHead,
  openPullsFrom,
  openPullsOf,
  pullById,
  type StoredPull,
  setHeadBranches,
} from './pull-store.ts'
import {
  type AddedCommits,
  type BranchReferences,
  publishReferences,
  readReferences,
} from './pushed-references.ts'
import { publishRetargets, type Retarget, readRetargets } from './retargeting.ts'
import { applyReviewChanges, type ReviewChanges, readReviewChanges } from './reviews/after-push.ts'
import type { Reviewer } from './reviews/asking.ts'
import { askOwners, codeOwners } from './reviews/code-owners.ts'

/** What pushes do to the pull requests that propose their branches. */

/** A push that git has carried out. */
interface PushedTo {
  sql: Sql
  tools: { gitService: GitService }
  /** Id of the repository that was pushed to, and the repository on disk. */
  id: number
  repository: OpenRepository
}

/** A pull request whose head has moved; its base repository has the commits already. */
interface MovedHead {
  ref: string
  /** The repository of the branch, and that of the base. */
  from: OpenRepository
  to: OpenRepository
  pull: StoredPull
  base: Repository
  owner: Account
  after: string
  mergeBase: string
  reviews: ReviewChanges
  /** Who owns files that the pull request has not changed before. */
  owners: readonly Reviewer[]
  /** The entry of the timeline, as the original writes it. */
  text: string
}

const prefix = 'refs/heads/'
/** Maximum number of commits in an entry of a timeline. */
const maxCommits = 100

/** What a push does to pull requests; read before the transaction that publishes it. */
export interface PullChanges {
  heads: readonly MovedHead[]
  merges: readonly PushedMerge[]
  references: readonly BranchReferences[]
  retargets: readonly Retarget[]
}

/** @throws Problem 503 */
export const readPullChanges = async (
  pushed: PushedTo,
  row: Pick<Repository, 'id' | 'settings'>,
  updates: readonly RefUpdate[],
  added: readonly AddedCommits[],
): Promise<PullChanges> => ({
  heads: await bringHeads(pushed, updates),
  merges: await mergesOfPush(pushed.sql, { row, repository: pushed.repository }, updates),
  references: await readReferences(pushed.repository, added),
  retargets: await readRetargets(pushed, updates),
})

/** Brings the new heads of open pull requests into their base repositories. @throws Problem 503 */
async function bringHeads(pushed: PushedTo, updates: readonly RefUpdate[]): Promise<MovedHead[]> {
  const moved = new Map(
    updates.flatMap(({ ref, after }) =>
      ref.startsWith(prefix) && !isZeroId(after) ? [[ref.slice(prefix.length), { ref, after }] as const] : [],
    ),
  )
  if (moved.size === 0) return []
  const pulls = await openPullsFrom(pushed.sql, pushed.id, [...moved.keys()])
  const heads: MovedHead[] = []
  for (const pull of pulls) {
    const { ref, after } = found(moved.get(pull.head_branch))
    const head = pull.head_commit === after ? undefined : await bringHead(pushed, pull, { ref, after })
    if (head) heads.push(head)
  }
  return heads
}

async function bringHead(
  { sql, tools, id, repository }: PushedTo,
  pull: StoredPull,
  { ref, after }: { ref: string; after: string },
): Promise<MovedHead | undefined> {
  const base = await repositoryById(sql, pull.repository_id)
  const owner = base && (await accountById(sql, base.owner_id))
  const target = base && tools.gitService.repositories.open(folderOf(base))
  if (!base || !owner || !target) return undefined
  if (base.id !== id)
    gitValue(await copyCommits(repository, target, { commit: after, known: [pull.head_commit] }))
  const commit = gitValue(await resolveRef(target, `${prefix}${pull.base_branch}`))
  const pair = commit && { base: commit, head: after }
  const mergeBase = (pair ? gitValue(await mergeBaseOf(target, pair)) : pull.merge_base) ?? ''
  const reviews = await readReviewChanges(sql, target, pull, { after, mergeBase })
  const spans = [
    { base: mergeBase, head: after },
    { base: pull.merge_base, head: pull.head_commit },
  ] as const
  const owned = { row: base, repository: target }
  const owners = isDraft(pull) ? [] : await codeOwners(sql, owned, ...spans)
  const text = await textOf(target, pull.head_commit, after)
  return { ref, from: repository, to: target, pull, base, owner, after, mergeBase, reviews, owners, text }
}

/** A request that changes pull requests. */
interface Following {
  sql: Sql
  begin: Begin
  tools: { gitService: GitService }
  caller: Pick<SignedInOnRepository, 'me'>
  from: { host: string }
}

/**
 * Brings the head of a pull request that has just been opened, or opened again: pushes to its branch before that were not its
 * own. Returns it as it is then; undefined: it has been deleted. @throws Problem 503
 */
export async function followHead(context: Following, id: number): Promise<StoredPull | undefined> {
  const { sql, begin, tools, caller, from } = context
  const pull = await pullById(sql, id)
  const headRepository = pull?.closed_at === null ? pull.head_repository_id : null
  const row = headRepository === null ? undefined : await repositoryById(sql, headRepository)
  const repository = row && tools.gitService.repositories.open(folderOf(row))
  if (!pull || !repository) return pull
  const ref = `${prefix}${pull.head_branch}`
  const after = gitValue(await resolveRef(repository, ref))
  if (after === undefined || after === pull.head_commit) return pull
  const head = await bringHead({ sql, tools, id: row.id, repository }, pull, { ref, after })
  const by = { id: row.id, sender: caller.me, host: from.host, tools }
  if (head) await begin((tx) => publishHeads(tx, by, [head]))
  return pullById(sql, id)
}

/** The commits of a push in the form of the original: those that it adds, or for a forced push both heads. */
async function textOf({ git, directory }: OpenRepository, before: string, after: string): Promise<string> {
  const lost = gitValue(await git.run(directory, ['rev-list', '--max-count=1', before, `^${after}`, '--']))
  if (lost.length > 0) return JSON.stringify({ is_force_push: true, commit_ids: [before, after] })
  const count = `--max-count=${maxCommits}`
  const added = gitValue(
    await git.run(directory, ['rev-list', '--reverse', count, after, `^${before}`, '--']),
  )
  const commit_ids = added.toString('latin1').split('\n').filter(Boolean)
  return JSON.stringify({ is_force_push: false, commit_ids })
}

/**
 * Locks the pull requests that `publishPullChanges` is about to change. The repository is locked after them: whoever closes one
 * locks it first, and then the repository, which counts open ones.
 */
export async function lockChangedPulls(
  tx: Tx,
  repository: number,
  { heads, merges, retargets }: PullChanges,
  updates: readonly RefUpdate[],
): Promise<void> {
  const refs = new Set(updates.map(({ ref }) => ref))
  const deleted = updates.flatMap(({ ref, after }) =>
    ref.startsWith(prefix) && isZeroId(after) ? ref.slice(prefix.length) : [],
  )
  const closing = deleted.length === 0 ? [] : await openPullsOf(tx, repository, deleted)
  const moving = [...heads, ...retargets].filter(({ ref }) => refs.has(ref)).map(({ pull }) => pull)
  const ids = [...closing, ...moving].map(({ id }) => id)
  const merged = merges.filter(({ ref }) => refs.has(ref)).map(({ issue_id }) => issue_id)
  await lockIssues(tx, [...ids, ...merged])
}

/** Stores and publishes what a push did to pull requests; `refs` are those that this transaction publishes. */
export async function publishPullChanges(
  tx: Tx,
  by: PushSender,
  {
    heads,
    merges,
    references,
    retargets,
    updates,
    refs,
  }: PullChanges & { updates: readonly RefUpdate[]; refs: ReadonlySet<string> },
): Promise<void> {
  const { sender, host, tools } = by
  const branches = updates.flatMap(({ ref, ...move }) =>
    refs.has(ref) && ref.startsWith(prefix) ? { name: ref.slice(prefix.length), ...move } : [],
  )
  const namesOf = (chosen: typeof branches) => chosen.map(({ name }) => name)
  const created = branches.filter(({ before, after }) => isZeroId(before) && !isZeroId(after))
  if (created.length > 0) await setHeadBranches(tx, by.id, { branches: namesOf(created), exist: true })
  await publishHeads(
    tx,
    by,
    heads.filter(({ ref }) => refs.has(ref)),
  )
  await publishReferences(
    tx,
    by,
    references.filter(({ ref }) => refs.has(ref)),
    merges,
  )
  for (const { ref, ...merge } of merges)
    if (refs.has(ref))
      await completeMerge(
        tx,
        { gitService: tools.gitService, host },
        { ...merge, merger_id: merge.merger_id ?? sender.id },
      )
  await publishRetargets(
    tx,
    by,
    retargets.filter(({ ref }) => refs.has(ref)),
  )
  await closePullsOf(tx, by, namesOf(branches.filter(({ after }) => isZeroId(after))))
}

async function publishHeads(
  tx: Tx,
  { sender, host, tools }: PushSender,
  heads: readonly MovedHead[],
): Promise<void> {
  for (const { ref, from, to, pull, base, owner, after, mergeBase, reviews, owners, text } of heads) {
    const issue = await lockIssue(tx, base.id, pull.number)
    // Merged or closed meanwhile: it keeps the head that was judged.
    if (!issue || issue.closed_at !== null) continue
    const tip = gitValue(await resolveRef(inTransaction(from), ref))
    // Another push has moved the branch on: it brings its own head, which may be stored already.
    if (tip !== undefined && tip !== after) continue
    // While the issue is locked, so that the ref and the row are of one push.
    gitValue(await setPullRef(inTransaction(to), pull.number, after))
    await moveHead(tx, pull.id, { head_commit: after, merge_base: mergeBase })
    await touchIssue(tx, pull.id)
    await recordHappenings(tx, { issue: pull.id, actor: sender.id }, [{ type: 'pull_push', new_text: text }])
    const isFromFork = pull.head_repository_id !== base.id
    if (isFromFork)
      await cancelAutoMergeByStranger(tx, { issue: pull.id, actor: sender.id, repository: base.id })
    await applyReviewChanges(tx, pull, { ...reviews, after, actor: sender.id })
    const context = actingAs({ sender, owner, base }, { gitService: tools.gitService, host })
    const change = { action: 'synchronized' as const, before: pull.head_commit, after }
    await emitPullEvents(tx, context, pull.id, [change])
    await emitIssueActivity(tx, { issue: pull.id, actor: sender.id, audience: true, names: [], accounts: [] })
    await askOwners(tx, context, pull.id, owners)
  }
}
