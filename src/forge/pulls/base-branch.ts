import type { Sql, Tx } from '../../db/sql.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { mergeBaseOf } from '../../git/repository/merging/relation.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { gitValue } from '../repos/code.ts'
import { decisionsOn } from './merging/merge-facts-store.ts'
import { emitPullEvents, type PullEventContext } from './pull-events.ts'
import { type StoredPull, updatePull } from './pull-store.ts'
import { applyReviewChanges } from './reviews/after-push.ts'
import { isOfficialReviewer } from './reviews/official.ts'
import { isOtherChange } from './reviews/other-change.ts'
import { clearOfficial, hasDecisions } from './reviews/review-store.ts'

/** Another base branch of a pull request. */
export interface NewBase {
  base_branch: string
  /** The best common ancestor of its commit and the head; "": there is none. */
  merge_base: string
  /** Whether what is proposed is something else there than before. */
  isOtherChange: boolean
}

/** What a pull request proposes to another branch of its repository. @throws Problem 503 */
export async function newBaseOf(
  sql: Sql,
  pull: StoredPull,
  { repository, branch, commit }: { repository: OpenRepository; branch: string; commit: string },
): Promise<NewBase> {
  const head = pull.head_commit
  const mergeBase = gitValue(await mergeBaseOf(repository, { base: commit, head })) ?? ''
  const spans = [
    { base: pull.merge_base, head },
    { base: mergeBase, head },
  ] as const
  const isOther = (await hasDecisions(sql, pull.id)) && (await isOtherChange(repository, ...spans))
  return { base_branch: branch, merge_base: mergeBase, isOtherChange: isOther }
}

/**
 * Gives a pull request, whose issue is locked, another base branch, and publishes that. Decisions of accounts that the rule of
 * that branch does not count do not count any more, and all are stale if they were about something else.
 */
export async function changeBase(
  tx: Tx,
  context: PullEventContext,
  { pull, base }: { pull: StoredPull; base: NewBase },
): Promise<void> {
  const actor = context.caller.me.id
  const { isOtherChange: isChanged, ...columns } = base
  const moved = { ...pull, ...columns }
  await updatePull(tx, pull.id, moved)
  for (const { reviewer_id: reviewer, is_official } of await decisionsOn(tx, pull.id))
    if (is_official && (reviewer === null || !(await isOfficialReviewer(tx, moved, reviewer))))
      await clearOfficial(tx, pull.id, reviewer)
  await recordHappenings(tx, { issue: pull.id, actor }, [
    { type: 'change_target_branch', old_text: pull.base_branch, new_text: base.base_branch },
  ])
  await applyReviewChanges(tx, moved, { isChanged, outdated: [], after: null, actor })
  const changes = { ref: { from: pull.base_branch } }
  await emitPullEvents(tx, context, pull.id, [{ action: 'edited', changes }])
}
