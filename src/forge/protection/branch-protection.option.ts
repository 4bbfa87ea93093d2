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
import { descriptions, NO_PULL_REQUESTS } from './branch-protection.shape.ts'

const unusedFlag = () => describedField(optionalFlag(), NO_PULL_REQUESTS)
const flagOf = (name: keyof typeof descriptions) => describedField(optionalFlag(), descriptions[name])
const users = () =>
  describedField(optionalTexts(), 'Names of users; the server ignores those who may not write to the code')
const teams = () =>
  describedField(optionalTexts(), 'Names of teams that read the code; a repository of a user has none')
const patterns = (name: keyof typeof descriptions) =>
  describedField(optionalText(maxSize(10_000)), descriptions[name])

/** The members of both options; absent members keep their value, or that of a new rule. */
const settings = {
  priority: describedField(optionalInteger(), descriptions.priority),
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
  enable_status_check: unusedFlag(),
  status_check_contexts: describedField(optionalTexts(), descriptions.status_check_contexts),
  required_approvals: describedField(optionalInteger(), 'Less than 0 counts as absent'),
  enable_approvals_whitelist: unusedFlag(),
  approvals_whitelist_username: describedField(
    optionalTexts(),
    'Names of users; the server ignores those who may not read the code',
  ),
  approvals_whitelist_teams: teams(),
  block_on_rejected_reviews: unusedFlag(),
  block_on_official_review_requests: unusedFlag(),
  block_on_outdated_branch: unusedFlag(),
  dismiss_stale_approvals: unusedFlag(),
  ignore_stale_approvals: unusedFlag(),
  require_signed_commits: flagOf('require_signed_commits'),
  protected_file_patterns: patterns('protected_file_patterns'),
  unprotected_file_patterns: patterns('unprotected_file_patterns'),
  block_admin_merge_override: unusedFlag(),
}

/** CreateBranchProtectionOption of the original. */
export const CreateBranchProtectionOption = option('CreateBranchProtectionOption', {
  branch_name: describedField(optionalText(maxSize(255)), 'The former name of `rule_name`'),
  rule_name: describedField(optionalText(maxSize(255)), descriptions.rule_name),
  ...settings,
})

/** EditBranchProtectionOption of the original. The name of a rule cannot be changed. */
export const EditBranchProtectionOption = option('EditBranchProtectionOption', settings)

/** UpdateBranchProtectionPriories of the original, whose spelling this is. */
export const UpdateBranchProtectionPriories = option('UpdateBranchProtectionPriories', {
  ids: describedField(integers(), 'Ids of rules in the order of their new priorities'),
})
