import type { Sql } from '../../../db/sql.ts'
import type { CommitPair } from '../../../git/repository/merging/relation.ts'
import { pathsOfMove } from '../../../git/repository/received.ts'
import { found } from '../../../http/route/problem.ts'
import { newestStatuses } from '../../commit-statuses/commit-status-store.ts'
import { branchRulesFor } from '../../protection/branch-protection-store.ts'
import { ruleOf } from '../../protection/branch-rules.ts'
import { unverifiedOf } from '../../protection/refusal.ts'
import { isDraft } from '../../protocol/draft-title.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import { type ComparedIn, commitsBetween, compared } from '../comparison.ts'
import { reviewCounts } from './merge-facts-store.ts'
import type { PullToMerge } from './merge-store.ts'
import type { MergeFacts } from './refusals.ts'

/** A pull request whose merge is judged. */
interface MergeSubject {
  /** Id of its issue. */
  issue: number
  title: string
  isOpen: boolean
  isMerged: boolean
  /** Short name. */
  baseBranch: string
  /** Ids of the commits to which the base branch and the head point; the base repository has both. */
  base: string
  head: string
}

/** A pull request whose branches point to these commits. */
export const subjectOf = (pull: PullToMerge, pair: CommitPair): MergeSubject => ({
  issue: pull.id,
  title: pull.title,
  isOpen: pull.closed_at === null,
  isMerged: pull.merged_at !== null,
  baseBranch: pull.base_branch,
  ...pair,
})

/** Who wants to merge, with the access level to the code; undefined: nobody in particular. */
interface Judge {
  sql: Sql
  /** The base repository. */
  code: Code
  /** Where its commits are compared for all who ask. */
  at: ComparedIn
  account: number | undefined
  level: number
}

/** What decides whether a pull request may be merged, read now. @throws Problem 503 */
export async function readMergeFacts(judge: Judge, subject: MergeSubject): Promise<MergeFacts> {
  const { code, at } = judge
  const pair = { base: subject.base, head: subject.head }
  const [comparison] = await compared(at, [pair])
  const { mergeBase, conflicts } = found(comparison)
  const decided = await readDecisions(judge, subject)
  const readsBehind = decided.rule?.block_on_outdated_branch === true && mergeBase !== subject.base
  const behind = readsBehind ? (await commitsBetween(at, pair)).behind : 0
  const readsPaths = decided.rule !== undefined && decided.rule.protected_file_patterns !== ''
  const changedPaths =
    readsPaths && mergeBase !== undefined
      ? gitValue(await pathsOfMove(code, { before: mergeBase, after: subject.head }))
      : []
  const needsSigned = decided.rule?.require_signed_commits === true && code.git.signer !== undefined
  const isSigned =
    needsSigned &&
    (await unverifiedOf({ ...judge, repository: code }, { before: subject.base, after: subject.head })) ===
      undefined
  return { ...decided, conflicts, isSigned, isRelated: mergeBase !== undefined, behind, changedPaths }
}

/** What people, rules and checks have decided, without git: also to judge again at the moment of the merge. */
export async function readDecisions(
  {
    sql,
    code,
    account,
    level,
  }: Pick<Judge, 'sql' | 'account' | 'level'> & { code: { row: Pick<Code['row'], 'id'> } },
  { issue, title, isOpen, isMerged, baseBranch, head }: Omit<MergeSubject, 'base'>,
): Promise<Omit<MergeFacts, 'conflicts' | 'isSigned' | 'isRelated' | 'behind' | 'changedPaths'>> {
  const [rules, statuses, reviews] = await Promise.all([
    branchRulesFor(sql, code.row.id, account),
    newestStatuses(sql, code.row.id, head),
    reviewCounts(sql, issue),
  ])
  return {
    isMerged,
    isOpen,
    isDraft: isDraft({ title }),
    statuses,
    reviews,
    rule: ruleOf(rules, baseBranch),
    level,
  }
}
