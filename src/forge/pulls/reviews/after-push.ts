import type { Sql, Tx } from '../../../db/sql.ts'
import type { OpenRepository } from '../../../git/program/git.ts'
import { readDiff } from '../../../git/repository/diff.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { branchRulesFor } from '../../protection/branch-protection-store.ts'
import { ruleOf } from '../../protection/branch-rules.ts'
import { gitValue } from '../../repos/code.ts'
import type { StoredPull } from '../pull-store.ts'
import { removedLines } from './hunk.ts'
import { isOtherChange } from './other-change.ts'
import { commentedFiles, setOutdated } from './review-comment-store.ts'
import { dismissApprovals, hasDecisions, setStale } from './review-store.ts'

/** What a push to the head of a pull request does to its reviews. */

/** The new head, and its best common ancestor with the base branch; "": there is none. */
interface NewHead {
  after: string
  mergeBase: string
}

/** What the commits of a push say about the reviews; read before its transaction. */
export interface ReviewChanges {
  /** Whether what is proposed has changed. */
  isChanged: boolean
  /** Ids of the comments whose lines are gone. */
  outdated: readonly number[]
}

/** Maximum files of which a push finds out whether commented lines are gone: each takes a run of git. */
const maxFiles = 50

/** @throws Problem 503 */
export async function readReviewChanges(
  sql: Sql,
  base: OpenRepository,
  pull: StoredPull,
  { after, mergeBase }: NewHead,
): Promise<ReviewChanges> {
  const outdated: number[] = []
  for (const { path, commit_id, comments } of await commentedFiles(sql, pull.id, maxFiles)) {
    const { files, isCut } = gitValue(await readDiff(base, { before: commit_id, after, paths: [path] }))
    const lost = isCut ? new Set<number>() : removedLines(files[0]?.lines ?? [])
    outdated.push(...comments.flatMap(({ id, line }) => (lost.has(line) ? id : [])))
  }
  const heads = [
    { base: pull.merge_base, head: pull.head_commit },
    { base: mergeBase, head: after },
  ] as const
  // Without a decision nothing becomes stale, and git need not compare.
  const isChanged = !(await hasDecisions(sql, pull.id)) || (await isOtherChange(base, ...heads))
  return { isChanged, outdated }
}

const dismissal =
  'New commits pushed, approval review dismissed automatically according to repository settings'

/** Stores what a push, or with `after` null another base branch, does to the reviews; the issue is locked. */
export async function applyReviewChanges(
  tx: Tx,
  pull: StoredPull,
  { isChanged, outdated, after, actor }: ReviewChanges & { after: string | null; actor: number },
): Promise<void> {
  if (outdated.length > 0) await setOutdated(tx, outdated)
  await setStale(tx, pull.id, { head: after, isChanged })
  if (!isChanged) return
  const rule = ruleOf(await branchRulesFor(tx, pull.repository_id, undefined), pull.base_branch)
  if (!rule?.dismiss_stale_approvals) return
  const dismissed = await dismissApprovals(tx, pull.id)
  await recordHappenings(
    tx,
    { issue: pull.id, actor },
    dismissed.map(({ id }) => ({ type: 'dismiss_review', subject: id, new_text: dismissal })),
  )
}
