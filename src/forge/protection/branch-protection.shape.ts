import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import {
  describedField,
  integers,
  option,
  optionalFlag,
  optionalInteger,
  optionalText,
  optionalTexts,
} from '../protocol/fields.ts'
import { maxSize } from '../protocol/rules.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { moment } from '../users/user.shape.ts'
import type { BranchProtection as Stored } from './branch-protection-store.ts'
import { isPlain } from './branch-rules.ts'

const words = {
  rule_name: 'Name of a branch, or a glob: `*` stops at a slash, `**` does not',
  priority: 'Of the rules that match a branch, the one with the lowest counts',
  enable_push: 'Whether those who write to the code may push, or those on the list; otherwise nobody may',
  enable_push_whitelist: 'Whether only those on the list may push',
  push_whitelist_deploy_keys: 'Kept for clients: deploy keys cannot push here',
  enable_force_push: 'Whether those who may push may push so that commits of the branch are lost',
  enable_force_push_allowlist: 'Whether only those on the list may do that',
  force_push_allowlist_deploy_keys: 'Kept for clients: deploy keys cannot push here',
  enable_merge_whitelist: 'Whether only those on the list may merge',
  enable_bypass_allowlist: 'Kept for clients; without it both lists are empty',
  status_check_contexts: 'Globs of contexts of commit statuses, which are kept and shown',
  require_signed_commits: 'Refuses new commits: this server cannot check their signatures',
  protected_file_patterns: 'Globs of files that no push may change, separated by semicolons',
  unprotected_file_patterns:
    'Globs of files that all who write to the code may change, separated by semicolons',
}

const flag = described(v.boolean(), 'Kept for clients: there are no pull requests')
const names = v.array(v.string())

/** BranchProtection of the original. */
export const BranchProtection = shape('BranchProtection', {
  branch_name: described(v.string(), 'The name of the rule if it is that of a branch; otherwise empty'),
  rule_name: described(v.string(), words.rule_name),
  priority: described(int, words.priority),
  enable_push: described(v.boolean(), words.enable_push),
  enable_push_whitelist: described(v.boolean(), words.enable_push_whitelist),
  push_whitelist_usernames: names,
  push_whitelist_teams: names,
  push_whitelist_deploy_keys: described(v.boolean(), words.push_whitelist_deploy_keys),
  enable_force_push: described(v.boolean(), words.enable_force_push),
  enable_force_push_allowlist: described(v.boolean(), words.enable_force_push_allowlist),
  force_push_allowlist_usernames: names,
  force_push_allowlist_teams: names,
  force_push_allowlist_deploy_keys: described(v.boolean(), words.force_push_allowlist_deploy_keys),
  enable_merge_whitelist: described(v.boolean(), words.enable_merge_whitelist),
  merge_whitelist_usernames: names,
  merge_whitelist_teams: names,
  enable_bypass_allowlist: described(v.boolean(), words.enable_bypass_allowlist),
  bypass_allowlist_usernames: names,
  bypass_allowlist_teams: names,
  enable_status_check: flag,
  status_check_contexts: described(names, words.status_check_contexts),
  required_approvals: int,
  enable_approvals_whitelist: flag,
  approvals_whitelist_username: names,
  approvals_whitelist_teams: names,
  block_on_rejected_reviews: flag,
  block_on_official_review_requests: flag,
  block_on_outdated_branch: flag,
  dismiss_stale_approvals: flag,
  ignore_stale_approvals: flag,
  require_signed_commits: described(v.boolean(), words.require_signed_commits),
  protected_file_patterns: described(v.string(), words.protected_file_patterns),
  unprotected_file_patterns: described(v.string(), words.unprotected_file_patterns),
  block_admin_merge_override: flag,
  created_at: moment,
  updated_at: moment,
})
type BranchProtection = v.InferOutput<typeof BranchProtection>

const optionFlag = () => describedField(optionalFlag(), 'Kept for clients: there are no pull requests')
const flagOf = (name: keyof typeof words) => describedField(optionalFlag(), words[name])
const users = () =>
  describedField(optionalTexts(), 'Names of users; those who may not write to the code are left out')
const teams = () =>
  describedField(optionalTexts(), 'Names of teams that read the code; a repository of a user has none')
const patterns = (name: keyof typeof words) => describedField(optionalText(maxSize(10_000)), words[name])

/** What the two options have in common: absent members keep their value, or that of a new rule. */
const settings = {
  priority: describedField(optionalInteger(), words.priority),
  enable_push: flagOf('enable_push'),
  enable_push_whitelist: flagOf('enable_push_whitelist'),
  push_whitelist_usernames: users(),
  push_whitelist_teams: teams(),
  push_whitelist_deploy_keys: flagOf('push_whitelist_deploy_keys'),
  enable_force_push: flagOf('enable_force_push'),
  enable_force_push_allowlist: flagOf('enable_force_push_allowlist'),
  force_push_allowlist_usernames: users(),
  force_push_allowlist_teams: teams(),
  force_push_allowlist_deploy_keys: flagOf('force_push_allowlist_deploy_keys'),
  enable_merge_whitelist: flagOf('enable_merge_whitelist'),
  merge_whitelist_usernames: users(),
  merge_whitelist_teams: teams(),
  enable_bypass_allowlist: flagOf('enable_bypass_allowlist'),
  bypass_allowlist_usernames: users(),
  bypass_allowlist_teams: teams(),
  enable_status_check: optionFlag(),
  status_check_contexts: describedField(optionalTexts(), words.status_check_contexts),
  required_approvals: describedField(optionalInteger(), 'Less than 0 counts as absent'),
  enable_approvals_whitelist: optionFlag(),
  approvals_whitelist_username: describedField(
    optionalTexts(),
    'Names of users; those who may not read the code are left out',
  ),
  approvals_whitelist_teams: teams(),
  block_on_rejected_reviews: optionFlag(),
  block_on_official_review_requests: optionFlag(),
  block_on_outdated_branch: optionFlag(),
  dismiss_stale_approvals: optionFlag(),
  ignore_stale_approvals: optionFlag(),
  require_signed_commits: flagOf('require_signed_commits'),
  protected_file_patterns: patterns('protected_file_patterns'),
  unprotected_file_patterns: patterns('unprotected_file_patterns'),
  block_admin_merge_override: optionFlag(),
}

/** CreateBranchProtectionOption of the original. */
export const CreateBranchProtectionOption = option('CreateBranchProtectionOption', {
  branch_name: describedField(optionalText(maxSize(255)), 'The former name of `rule_name`'),
  rule_name: describedField(optionalText(maxSize(255)), words.rule_name),
  ...settings,
})

/** EditBranchProtectionOption of the original. The name of a rule cannot be changed. */
export const EditBranchProtectionOption = option('EditBranchProtectionOption', settings)

/** UpdateBranchProtectionPriories of the original, whose spelling this is. */
export const UpdateBranchProtectionPriories = option('UpdateBranchProtectionPriories', {
  ids: describedField(integers(), 'Ids of rules in the order in which they are to count'),
})

export function printBranchProtection(rule: Stored): BranchProtection {
  const { usernames, teams } = rule
  return {
    branch_name: isPlain(rule.rule_name) ? rule.rule_name : '',
    rule_name: rule.rule_name,
    priority: rule.priority,
    enable_push: rule.enable_push,
    enable_push_whitelist: rule.enable_push_whitelist,
    push_whitelist_usernames: usernames.push ?? [],
    push_whitelist_teams: teams.push ?? [],
    push_whitelist_deploy_keys: rule.push_whitelist_deploy_keys,
    enable_force_push: rule.enable_force_push,
    enable_force_push_allowlist: rule.enable_force_push_allowlist,
    force_push_allowlist_usernames: usernames.force_push ?? [],
    force_push_allowlist_teams: teams.force_push ?? [],
    force_push_allowlist_deploy_keys: rule.force_push_allowlist_deploy_keys,
    enable_merge_whitelist: rule.enable_merge_whitelist,
    merge_whitelist_usernames: usernames.merge ?? [],
    merge_whitelist_teams: teams.merge ?? [],
    enable_bypass_allowlist: rule.enable_bypass_allowlist,
    bypass_allowlist_usernames: usernames.bypass ?? [],
    bypass_allowlist_teams: teams.bypass ?? [],
    enable_status_check: rule.enable_status_check,
    status_check_contexts: rule.status_check_contexts,
    required_approvals: rule.required_approvals,
    enable_approvals_whitelist: rule.enable_approvals_whitelist,
    approvals_whitelist_username: usernames.approvals ?? [],
    approvals_whitelist_teams: teams.approvals ?? [],
    block_on_rejected_reviews: rule.block_on_rejected_reviews,
    block_on_official_review_requests: rule.block_on_official_review_requests,
    block_on_outdated_branch: rule.block_on_outdated_branch,
    dismiss_stale_approvals: rule.dismiss_stale_approvals,
    ignore_stale_approvals: rule.ignore_stale_approvals,
    require_signed_commits: rule.require_signed_commits,
    protected_file_patterns: rule.protected_file_patterns,
    unprotected_file_patterns: rule.unprotected_file_patterns,
    block_admin_merge_override: rule.block_admin_merge_override,
    created_at: printTime(rule.created_at, EPOCH),
    updated_at: printTime(rule.updated_at, EPOCH),
  }
}
