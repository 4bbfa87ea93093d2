import { compileGlob, type Matcher } from '../../common/glob.ts'

/** The lists of a rule of protected branches. */
export const LISTS = ['push', 'force_push', 'merge', 'bypass', 'approvals'] as const
export type List = (typeof LISTS)[number]

/** The settings of a new rule. */
export const initialSettings = {
  priority: 0,
  enable_push: false,
  enable_push_whitelist: false,
  push_whitelist_deploy_keys: false,
  enable_force_push: false,
  enable_force_push_allowlist: false,
  force_push_allowlist_deploy_keys: false,
  enable_merge_whitelist: false,
  enable_bypass_allowlist: false,
  enable_status_check: false,
  status_check_contexts: [] as string[],
  required_approvals: 0,
  enable_approvals_whitelist: false,
  block_on_rejected_reviews: false,
  block_on_official_review_requests: false,
  block_on_outdated_branch: false,
  dismiss_stale_approvals: false,
  ignore_stale_approvals: false,
  require_signed_commits: false,
  block_admin_merge_override: false,
  protected_file_patterns: '',
  unprotected_file_patterns: '',
}

/** The settings of a rule, without its name and lists. */
export type RuleSettings = typeof initialSettings

/** A stored rule. */
export interface StoredRule extends RuleSettings {
  id: number
  /** The name of a branch, or a glob. */
  rule_name: string
  created_at: string
  updated_at: string
}

/** A rule, and its lists that name an account or a team of the account. */
export interface BranchRule extends StoredRule {
  listed: List[]
}

/** The rule as it holds for deploy keys: its lists of pushers name them all or none. */
export function forDeployKeys(rule: BranchRule): BranchRule {
  const listed: List[] = []
  if (rule.push_whitelist_deploy_keys) listed.push('push')
  if (rule.force_push_allowlist_deploy_keys) listed.push('force_push')
  return { ...rule, listed }
}

/** Whether a rule has the name of one branch; otherwise it is a glob. */
export const isPlain = (ruleName: string) => !/[*?\\[\]{}]/.test(ruleName)

/** Whether a rule applies to branches of a name; a malformed glob is a name. */
function matcherOf(ruleName: string): Matcher {
  const key = ruleName.toLowerCase()
  if (isPlain(ruleName)) return (branch) => branch.toLowerCase() === key
  return compileGlob(ruleName, { separators: '/' }) ?? ((branch) => branch === ruleName)
}

/** Rules by precedence. */
export const inOrder = <Rule extends StoredRule>(rules: readonly Rule[]): Rule[] =>
  [...rules].sort(
    (left, right) =>
      left.priority - right.priority ||
      Number(isPlain(right.rule_name)) - Number(isPlain(left.rule_name)) ||
      left.id - right.id,
  )

/** The rule of a branch among those of a repository; undefined: the branch is not protected. */
export const ruleOf = <Rule extends StoredRule>(rules: readonly Rule[], branch: string): Rule | undefined =>
  inOrder(rules).find(({ rule_name }) => matcherOf(rule_name)(branch))

/** Whether the account of a rule, which may write to the code, may push to its branches. */
export const mayPush = ({ enable_push, enable_push_whitelist, listed }: BranchRule): boolean =>
  enable_push && (!enable_push_whitelist || listed.includes('push'))

/** The same for a push after which the branch lacks commits. */
export const mayForcePush = (rule: BranchRule): boolean =>
  rule.enable_force_push &&
  mayPush(rule) &&
  (!rule.enable_force_push_allowlist || rule.listed.includes('force_push'))

/** Whether the account of a rule, which may write to the code, may merge into its branches. */
export const mayMerge = ({ enable_merge_whitelist, listed }: BranchRule): boolean =>
  !enable_merge_whitelist || listed.includes('merge')

/** Whether one of these globs, separated by semicolons, matches a path; malformed ones match none. Undefined: no globs. */
export function fileMatcherOf(patterns: string): Matcher | undefined {
  const globs = patterns
    .toLowerCase()
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .flatMap((each) => compileGlob(each, { separators: './' }) ?? [])
  if (globs.length === 0) return undefined
  return (path) => globs.some((matches) => matches(path.toLowerCase()))
}
