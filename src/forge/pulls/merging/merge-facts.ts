import type { Sql } from '../../../db/sql.ts'
import { relationOf } from '../../../git/repository/merging/relation.ts'
import { conflictsOf } from '../../../git/repository/merging/trial.ts'
import { pathsOfMove } from '../../../git/repository/received.ts'
import type { Repositories } from '../../../git/repository/repositories.ts'
import { newestStatuses } from '../../commit-statuses/commit-status-store.ts'
import { branchRulesFor } from '../../protection/branch-protection-store.ts'
import { ruleOf } from '../../protection/branch-rules.ts'
import { isDraft } from '../../protocol/draft-title.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import { reviewCounts } from './merge-facts-store.ts'
import type { MergeFacts } from './refusals.ts'

/** A pull request whose merge is judged. */
export interface MergeSubject {
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

/** Who wants to merge, with the access level to the code; undefined: nobody in particular. */
interface Judge {
  sql: Sql
  /** The base repository. */
  code: Code
  repositories: Repositories
  account: number | undefined
  level: number
}

/**
 * What decides whether a pull request may be merged, read now. Takes one run of git for the conflicts, and two for how far
 * the histories are apart. @throws Problem 503
 */
export async function readMergeFacts(judge: Judge, subject: MergeSubject): Promise<MergeFacts> {
  const { code, repositories } = judge
  const pair = { base: subject.base, head: subject.head }
  const { mergeBase, behind } = gitValue(await relationOf(code, pair))
  const [conflicts = []] =
    mergeBase === undefined ? [] : gitValue(await conflictsOf(repositories, code, [pair]))
  const decided = await readDecisions(judge, subject)
  const readsPaths = decided.rule !== undefined && decided.rule.protected_file_patterns !== ''
  const changedPaths =
    readsPaths && mergeBase !== undefined
      ? gitValue(await pathsOfMove(code, { before: mergeBase, after: subject.head }))
      : []
  return { ...decided, conflicts, isRelated: mergeBase !== undefined, behind, changedPaths }
}

/** What people, rules and checks have decided, without git: also to judge again at the moment of the merge. */
export async function readDecisions(
  { sql, code, account, level }: Pick<Judge, 'sql' | 'code' | 'account' | 'level'>,
  { issue, title, isOpen, isMerged, baseBranch, head }: MergeSubject,
): Promise<Omit<MergeFacts, 'conflicts' | 'isRelated' | 'behind' | 'changedPaths'>> {
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
