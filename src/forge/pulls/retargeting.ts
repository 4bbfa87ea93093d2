import type { Sql, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { isZeroId } from '../../git/program/names.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { accountById } from '../accounts/account-store.ts'
import { lockIssue, touchIssue } from '../issues/issue-store.ts'
import { gitValue } from '../repos/code.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { changeBase, type NewBase, newBaseOf } from './base-branch.ts'
import type { PushSender } from './deleted-branches.ts'
import { cancelAutoMergeByStranger } from './merging/auto-merge.ts'
import { isBeingMerged, mergedInto } from './merging/merge-store.ts'
import { actingAs } from './pull-events.ts'
import { openPullsOf, pullById, pullOfPair, type StoredPull } from './pull-store.ts'

/** Pull requests for a branch that was merged itself and is deleted then: they follow it into its base branch. */

/** Such a pull request, with the base branch that it gets. */
export interface Retarget {
  /** The full name of the deleted branch. */
  ref: string
  pull: StoredPull
  base: NewBase
}

const prefix = 'refs/heads/'
/** Maximum number of deleted branches, each merged into the next one, that a pull request follows. */
const maxMerges = 20

/** The pull requests that follow branches which a push has deleted. @throws Problem 503 */
export async function readRetargets(
  { sql, id, repository }: { sql: Sql; id: number; repository: OpenRepository },
  updates: readonly RefUpdate[],
): Promise<Retarget[]> {
  const deleted = updates.flatMap(({ ref, after }) =>
    ref.startsWith(prefix) && isZeroId(after) ? ref.slice(prefix.length) : [],
  )
  if (deleted.length === 0) return []
  const retargets: Retarget[] = []
  for (const pull of await openPullsOf(sql, id, deleted)) {
    const isHeadDeleted = pull.head_repository_id === id && deleted.includes(pull.head_branch)
    if (isHeadDeleted || pull.repository_id !== id) continue
    const side = await nextBase({ sql, id, repository }, pull.base_branch)
    const base = side && (await newBaseOf(sql, pull, { repository, ...side }))
    const proposesNothing = !base || base.merge_base === '' || base.merge_base === pull.head_commit
    if (!proposesNothing) retargets.push({ ref: `${prefix}${pull.base_branch}`, pull, base })
  }
  return retargets
}

/** The branch that has what was merged from a deleted one; undefined: there is none any more. @throws Problem 503 */
async function nextBase(
  { sql, id, repository }: { sql: Sql; id: number; repository: OpenRepository },
  deleted: string,
): Promise<{ branch: string; commit: string } | undefined> {
  let branch = deleted
  for (let merges = 0; merges < maxMerges; merges++) {
    const merged = await mergedInto(sql, id, branch)
    if (!merged) return undefined
    branch = merged.base_branch
    const commit = gitValue(await resolveRef(repository, `${prefix}${branch}`))
    if (commit !== undefined) return { branch, commit }
  }
  return undefined
}

/**
 * Stores and publishes the new base branches. A pull request stays as it is if an open one proposes the same branch there: it is
 * closed with its base branch then.
 */
export async function publishRetargets(
  tx: Tx,
  { sender, host, tools, id }: PushSender,
  retargets: readonly Retarget[],
): Promise<void> {
  if (retargets.length === 0) return
  const repository = await repositoryById(tx, id)
  const owner = repository && (await accountById(tx, repository.owner_id))
  if (!owner) return
  const context = actingAs({ sender, owner, base: repository }, { gitService: tools.gitService, host })
  for (const { pull, base } of retargets) {
    if ((await lockIssue(tx, id, pull.number))?.closed_at !== null) continue
    const now = await pullById(tx, pull.id)
    if (now?.base_branch !== pull.base_branch || (await isProposedTo(tx, now, base.base_branch))) continue
    // A merge that has moved the branch before its deletion is still to be recorded.
    if (await isBeingMerged(tx, pull.id)) continue
    await touchIssue(tx, pull.id)
    await changeBase(tx, context, { pull: now, base })
    await cancelAutoMergeByStranger(tx, { issue: pull.id, actor: sender.id, repository: id })
  }
}

/** Whether an open pull request proposes the same branch to another base branch. */
async function isProposedTo(tx: Tx, pull: StoredPull, base_branch: string): Promise<boolean> {
  const { repository_id: repository, head_repository_id: head_repository, head_branch } = pull
  if (head_repository === null) return false
  const other = await pullOfPair(tx, { repository, base_branch, head_repository, head_branch })
  return other?.closed_at === null
}
