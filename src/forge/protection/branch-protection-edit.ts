import type * as v from 'valibot'
import type { Sql, Tx } from '../../db/sql.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { LEVELS } from '../repos/access-level-store.ts'
import type { EditBranchProtectionOption } from './branch-protection.shape.ts'
import { setListedAccounts, setListedTeams } from './branch-protection-store.ts'
import { LISTS, type List, type RuleSettings } from './branch-rules.ts'
import { listedTeams, listedUsers } from './listed-names.ts'

/** What a request changes in a rule. */

type Input = v.InferOutput<typeof EditBranchProtectionOption>

/** The settings of a rule of which nothing is said. */
export const initialSettings: RuleSettings = {
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
  status_check_contexts: [],
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

/** The settings of a rule after a request; what it does not say stays. */
export function settingsAfter(old: RuleSettings, input: Input): RuleSettings {
  const { required_approvals: approvals = -1 } = input
  return {
    priority: input.priority ?? old.priority,
    ...pushSettings(old, input),
    ...forcePushSettings(old, input),
    enable_merge_whitelist: input.enable_merge_whitelist ?? old.enable_merge_whitelist,
    enable_bypass_allowlist: input.enable_bypass_allowlist ?? old.enable_bypass_allowlist,
    enable_status_check: input.enable_status_check ?? old.enable_status_check,
    status_check_contexts: input.status_check_contexts ?? old.status_check_contexts,
    required_approvals: approvals < 0 ? old.required_approvals : approvals,
    enable_approvals_whitelist: input.enable_approvals_whitelist ?? old.enable_approvals_whitelist,
    block_on_rejected_reviews: input.block_on_rejected_reviews ?? old.block_on_rejected_reviews,
    block_on_official_review_requests:
      input.block_on_official_review_requests ?? old.block_on_official_review_requests,
    block_on_outdated_branch: input.block_on_outdated_branch ?? old.block_on_outdated_branch,
    dismiss_stale_approvals: input.dismiss_stale_approvals ?? old.dismiss_stale_approvals,
    ignore_stale_approvals: input.ignore_stale_approvals ?? old.ignore_stale_approvals,
    require_signed_commits: input.require_signed_commits ?? old.require_signed_commits,
    block_admin_merge_override: input.block_admin_merge_override ?? old.block_admin_merge_override,
    protected_file_patterns: input.protected_file_patterns ?? old.protected_file_patterns,
    unprotected_file_patterns: input.unprotected_file_patterns ?? old.unprotected_file_patterns,
  }
}

/** As in the original, a list is only turned on or off along with what it limits. */
function pushSettings(old: RuleSettings, input: Input) {
  const { enable_push = old.enable_push } = input
  const { enable_push_whitelist = old.enable_push_whitelist } = input.enable_push ? input : {}
  const { push_whitelist_deploy_keys = old.push_whitelist_deploy_keys } = input.enable_push ? input : {}
  const isLimited = enable_push && enable_push_whitelist
  return {
    enable_push,
    enable_push_whitelist: isLimited,
    push_whitelist_deploy_keys: isLimited && push_whitelist_deploy_keys,
  }
}

function forcePushSettings(old: RuleSettings, input: Input) {
  const { enable_force_push = old.enable_force_push } = input
  const forcePush = input.enable_force_push ? input : {}
  const { enable_force_push_allowlist = old.enable_force_push_allowlist } = forcePush
  const { force_push_allowlist_deploy_keys = old.force_push_allowlist_deploy_keys } = forcePush
  const isLimited = enable_force_push && enable_force_push_allowlist
  return {
    enable_force_push,
    enable_force_push_allowlist: isLimited,
    force_push_allowlist_deploy_keys: isLimited && force_push_allowlist_deploy_keys,
  }
}

/** The ids that a request puts on lists; absent: the list stays. */
type ListEdits = { list: List; users: number[] | undefined; teams: number[] | undefined }[]

/** What a request puts on the lists of a rule with these settings. @throws Problem 422 a name is unknown */
export async function listsAfter(
  sql: Sql,
  caller: SignedInOnRepository,
  settings: RuleSettings,
  input: Input,
): Promise<ListEdits> {
  const edits: ListEdits = []
  for (const list of LISTS) {
    const { users, teams } =
      list === 'bypass' && !settings.enable_bypass_allowlist ? { users: [], teams: [] } : given(list, input)
    const level = list === 'approvals' ? LEVELS.read : LEVELS.write
    edits.push({
      list,
      users: users && (await listedUsers(sql, caller, users, level)),
      teams: teams && (await listedTeams(sql, caller, teams)),
    })
  }
  return edits
}

/** Stores them. */
export async function setLists(tx: Tx, rule: number, edits: ListEdits): Promise<void> {
  for (const { list, users, teams } of edits) {
    if (users) await setListedAccounts(tx, { rule, list }, users)
    if (teams) await setListedTeams(tx, { rule, list }, teams)
  }
}

/** The names that a request gives for a list. */
function given(list: List, input: Input): { users: string[] | undefined; teams: string[] | undefined } {
  if (list === 'push') return { users: input.push_whitelist_usernames, teams: input.push_whitelist_teams }
  if (list === 'merge') return { users: input.merge_whitelist_usernames, teams: input.merge_whitelist_teams }
  if (list === 'bypass')
    return { users: input.bypass_allowlist_usernames, teams: input.bypass_allowlist_teams }
  if (list === 'approvals')
    return { users: input.approvals_whitelist_username, teams: input.approvals_whitelist_teams }
  return { users: input.force_push_allowlist_usernames, teams: input.force_push_allowlist_teams }
}
