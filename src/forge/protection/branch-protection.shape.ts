import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { BranchProtection as Stored } from './branch-protection-store.ts'
import { isPlain } from './branch-rules.ts'

/** Descriptions of the members that the server sends and accepts. */
export const descriptions = {
  rule_name: 'Name of a branch, or a glob: `*` stops at a slash, `**` does not',
  priority: 'The rule with the lowest priority applies to a branch',
  enable_push:
    'Whether users who may write to the code, or those on the list, may push; otherwise nobody may',
  enable_push_whitelist: 'Whether only those on the list may push',
  push_whitelist_deploy_keys: 'Deploy keys that may write are on the list of who may push',
  enable_force_push: 'Whether users who may push may also force-push',
  enable_force_push_allowlist: 'Whether only those on the list may force-push',
  force_push_allowlist_deploy_keys: 'Deploy keys that may write are on the list of who may force-push',
  enable_merge_whitelist: 'Whether only those on the list may merge',
  enable_bypass_allowlist: 'Kept for clients; if false, both lists are empty',
  status_check_contexts: 'Globs of contexts of commit statuses: each must match one that is a success',
  require_signed_commits:
    'Refuses commits that no SSH key of the account with the address of the committer signed',
  protected_file_patterns: 'Globs of files that no push may change, separated by semicolons',
  unprotected_file_patterns:
    'Globs of files that all users who may write to the code may change, separated by semicolons',
}

export const NO_PULL_REQUESTS = 'Kept for clients: there are no pull requests'

const flag = described(v.boolean(), NO_PULL_REQUESTS)
const names = v.array(v.string())

/** BranchProtection of the original. */
export const BranchProtection = shape('BranchProtection', {
  branch_name: described(v.string(), 'The name of the rule if it is no glob; otherwise empty'),
  rule_name: described(v.string(), descriptions.rule_name),
  priority: described(int, descriptions.priority),
  enable_push: described(v.boolean(), descriptions.enable_push),
  enable_push_whitelist: described(v.boolean(), descriptions.enable_push_whitelist),
  push_whitelist_deploy_keys: described(v.boolean(), descriptions.push_whitelist_deploy_keys),
  enable_force_push: described(v.boolean(), descriptions.enable_force_push),
  enable_force_push_allowlist: described(v.boolean(), descriptions.enable_force_push_allowlist),
  force_push_allowlist_deploy_keys: described(v.boolean(), descriptions.force_push_allowlist_deploy_keys),
  enable_merge_whitelist: described(v.boolean(), descriptions.enable_merge_whitelist),
  enable_bypass_allowlist: described(v.boolean(), descriptions.enable_bypass_allowlist),
  enable_status_check: flag,
  status_check_contexts: described(names, descriptions.status_check_contexts),
  required_approvals: int,
  enable_approvals_whitelist: flag,
  block_on_rejected_reviews: flag,
  block_on_official_review_requests: flag,
  block_on_outdated_branch: flag,
  dismiss_stale_approvals: flag,
  ignore_stale_approvals: flag,
  require_signed_commits: described(v.boolean(), descriptions.require_signed_commits),
  block_admin_merge_override: flag,
  protected_file_patterns: described(v.string(), descriptions.protected_file_patterns),
  unprotected_file_patterns: described(v.string(), descriptions.unprotected_file_patterns),
  push_whitelist_usernames: names,
  push_whitelist_teams: names,
  force_push_allowlist_usernames: names,
  force_push_allowlist_teams: names,
  merge_whitelist_usernames: names,
  merge_whitelist_teams: names,
  bypass_allowlist_usernames: names,
  bypass_allowlist_teams: names,
  approvals_whitelist_username: names,
  approvals_whitelist_teams: names,
  created_at: moment,
  updated_at: moment,
})
type BranchProtection = v.InferOutput<typeof BranchProtection>

export function printBranchProtection(rule: Stored): BranchProtection {
  const { id: _, rule_name, usernames, teams, created_at, updated_at, ...settings } = rule
  return {
    branch_name: isPlain(rule_name) ? rule_name : '',
    rule_name,
    ...settings,
    push_whitelist_usernames: usernames.push ?? [],
    push_whitelist_teams: teams.push ?? [],
    force_push_allowlist_usernames: usernames.force_push ?? [],
    force_push_allowlist_teams: teams.force_push ?? [],
    merge_whitelist_usernames: usernames.merge ?? [],
    merge_whitelist_teams: teams.merge ?? [],
    bypass_allowlist_usernames: usernames.bypass ?? [],
    bypass_allowlist_teams: teams.bypass ?? [],
    approvals_whitelist_username: usernames.approvals ?? [],
    approvals_whitelist_teams: teams.approvals ?? [],
    created_at: printTime(created_at, EPOCH),
    updated_at: printTime(updated_at, EPOCH),
  }
}
