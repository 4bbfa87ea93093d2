import { compileGlob } from '../../../common/glob.ts'
import type { CommitState } from '../../commit-statuses/commit-status-store.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { type BranchRule, fileMatcherOf, mayMerge } from '../../protection/branch-rules.ts'

/** May a pull request be merged, and why not: decides for the API, for pages, and for merges that wait for checks. */

/** Reviews that count for the rule of the base branch; each reviewer's newest one that approves or rejects. */
export interface ReviewCounts {
  approvals: number
  /** Those of the approvals that are of an earlier head. */
  stale_approvals: number
  rejections: number
  /** Official requests that nobody has answered. */
  requests: number
}

/** What the decision depends on. */
export interface MergeFacts {
  isMerged: boolean
  isOpen: boolean
  /** Its title says that it is work in progress. */
  isDraft: boolean
  /** Paths that conflict with the base branch; undefined: to tell takes more time or memory than git may use here. */
  conflicts: readonly string[] | undefined
  /** Whether the histories of head and base have a common commit. */
  isRelated: boolean
  /** Whether the server signs, and all commits of the head are verified; read only if the rule requires it. */
  isSigned: boolean
  /** Number of commits of the base branch that the head lacks; read only if the rule demands that it lacks none. */
  behind: number
  /** Paths that the head changes; read only if the rule protects files. */
  changedPaths: readonly string[]
  /** The newest status of each context of the head. */
  statuses: readonly { context: string; state: CommitState }[]
  reviews: ReviewCounts
  /** The rule of the base branch, with the lists that name the account; undefined: it is not protected. */
  rule: BranchRule | undefined
  /** The access level of the account to the code. */
  level: number
}

/** A reason, and the sentence of the original. */
export interface MergeRefusal {
  kind:
    | 'merged'
    | 'closed'
    | 'not allowed'
    | 'draft'
    | 'conflict'
    | 'too much'
    | 'unrelated'
    | 'checks'
    | 'approvals'
    | 'rejected'
    | 'requested'
    | 'outdated'
    | 'protected files'
    | 'unsigned'
  sentence: string
}

/** All reasons against a merge, in the order in which the original checks them; none: it may be merged. */
export function mergeRefusals(facts: MergeFacts): MergeRefusal[] {
  const { rule, reviews } = facts
  const refusals: readonly [boolean, MergeRefusal['kind'], string][] = [
    [facts.isMerged, 'merged', 'The PR is already merged'],
    [!facts.isMerged && !facts.isOpen, 'closed', 'The PR is closed'],
    [!isAllowed(facts), 'not allowed', 'User not allowed to merge PR'],
    [facts.isDraft, 'draft', 'Work in progress PRs cannot be merged'],
    [!facts.isRelated, 'unrelated', 'The head and the base branch have no common commit'],
    [facts.conflicts === undefined, 'too much', 'the merge takes more time or memory than git may use here'],
    [(facts.conflicts ?? []).length > 0, 'conflict', 'Please try again later'],
    ...(rule ? refusalsByRule(facts, rule, reviews) : []),
  ]
  return refusals.flatMap(([holds, kind, sentence]) => (holds ? [{ kind, sentence }] : []))
}

/** What may change by itself, and what administrators and the bypass list may override (`mayOverride`). */
const overridable: ReadonlySet<MergeRefusal['kind']> = new Set([
  'checks',
  'approvals',
  'rejected',
  'requested',
  'outdated',
  'protected files',
])

/** Whether a reason may pass without a change of the pull request. */
export const canPass = (kind: MergeRefusal['kind']): boolean => overridable.has(kind)

/** The reasons that remain if a merge is forced; all of them unless the account may do that. */
export const refusalsOfForced = (facts: MergeFacts): MergeRefusal[] =>
  mergeRefusals(facts).filter(({ kind }) => !(overridable.has(kind) && mayOverride(facts)))

/** Whether the account may merge against the rule of the base branch. */
function mayOverride({ rule, level }: MergeFacts): boolean {
  if (!rule) return true
  if (rule.enable_bypass_allowlist && rule.listed.includes('bypass')) return true
  return level >= LEVELS.admin && !rule.block_admin_merge_override
}

const isAllowed = ({ rule, level }: MergeFacts): boolean =>
  level >= LEVELS.write && (rule === undefined || mayMerge(rule))

function refusalsByRule(
  facts: MergeFacts,
  rule: BranchRule,
  reviews: ReviewCounts,
): [boolean, MergeRefusal['kind'], string][] {
  const { approvals, stale_approvals, rejections, requests } = reviews
  const counted = rule.ignore_stale_approvals ? approvals - stale_approvals : approvals
  const isProtected = fileMatcherOf(rule.protected_file_patterns)
  return [
    [!passChecks(rule, facts.statuses), 'checks', 'Not all required status checks successful'],
    [counted < rule.required_approvals, 'approvals', 'Does not have enough approvals'],
    [rule.block_on_rejected_reviews && rejections > 0, 'rejected', 'There are requested changes'],
    [
      rule.block_on_official_review_requests && requests > 0,
      'requested',
      'There are official review requests',
    ],
    [
      rule.block_on_outdated_branch && facts.behind > 0,
      'outdated',
      'The head branch is behind the base branch',
    ],
    [
      isProtected !== undefined && facts.changedPaths.some(isProtected),
      'protected files',
      'Changed protected files',
    ],
    [rule.require_signed_commits && !facts.isSigned, 'unsigned', 'The base branch requires signed commits'],
  ]
}

type Statuses = MergeFacts['statuses']

/** Each required context is the name of one, or a glob, and needs a status; without any of them, all statuses count. */
function passChecks({ enable_status_check, status_check_contexts }: BranchRule, statuses: Statuses): boolean {
  if (!enable_status_check) return true
  const required = status_check_contexts.filter((context) => context !== '')
  if (required.length === 0) return statuses.length > 0 && statuses.every(isPassed)
  return required.every((context) => {
    const matches = compileGlob(context)
    const found = statuses.filter((status) => status.context === context || matches?.(status.context))
    return found.length > 0 && found.every(isPassed)
  })
}

const isPassed = ({ state }: Statuses[number]) =>
  state === 'success' || state === 'skipped' || state === 'warning'
