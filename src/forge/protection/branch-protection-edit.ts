import type * as v from 'valibot'
import type { Sql, Tx } from '../../db/sql.ts'
import { withoutUndefined } from '../accounts/edits.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import type { EditBranchProtectionOption } from './branch-protection.option.ts'
import { setListedAccounts, setListedTeams } from './branch-protection-store.ts'
import { LISTS, type List, type RuleSettings } from './branch-rules.ts'
import { listedTeams, listedUsers } from './listed-names.ts'

/** Changes of a rule of protected branches. */

type Input = v.InferOutput<typeof EditBranchProtectionOption>

/** The names that a request puts on a list; undefined: the list stays. */
interface ListNames {
  users: string[] | undefined
  teams: string[] | undefined
}

/** Divides a request into the names for the lists and the settings. */
function divide({
  push_whitelist_usernames,
  push_whitelist_teams,
  force_push_allowlist_usernames,
  force_push_allowlist_teams,
  merge_whitelist_usernames,
  merge_whitelist_teams,
  bypass_allowlist_usernames,
  bypass_allowlist_teams,
  approvals_whitelist_username,
  approvals_whitelist_teams,
  ...settings
}: Input) {
  const names: Record<List, ListNames> = {
    push: { users: push_whitelist_usernames, teams: push_whitelist_teams },
    force_push: { users: force_push_allowlist_usernames, teams: force_push_allowlist_teams },
    merge: { users: merge_whitelist_usernames, teams: merge_whitelist_teams },
    bypass: { users: bypass_allowlist_usernames, teams: bypass_allowlist_teams },
    approvals: { users: approvals_whitelist_username, teams: approvals_whitelist_teams },
  }
  return { names, settings }
}

/** The settings that a request changes. */
export function changedSettings(old: RuleSettings, input: Input): Partial<RuleSettings> {
  const { required_approvals: approvals = -1, ...settings } = divide(input).settings
  return {
    ...withoutUndefined(settings),
    ...(approvals >= 0 && { required_approvals: approvals }),
    ...pushSettings(old, input),
    ...forcePushSettings(old, input),
  }
}

/** As in the original, a request turns a list on or off only along with the permission that it limits. */
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

/** The ids that a request puts on lists; undefined: the list stays. */
type ListEdits = { list: List; users: number[] | undefined; teams: number[] | undefined }[]

/** The edits of the lists of a rule; `hasBypassLists`: its setting. @throws Problem 422 a name is unknown */
export async function listEdits(
  sql: Sql,
  caller: SignedInOnRepository,
  hasBypassLists: boolean,
  input: Input,
): Promise<ListEdits> {
  const { names } = divide(input)
  const edits: ListEdits = []
  for (const list of LISTS) {
    const { users, teams } = list === 'bypass' && !hasBypassLists ? { users: [], teams: [] } : names[list]
    const level = list === 'approvals' ? LEVELS.read : LEVELS.write
    edits.push({
      list,
      users: users && (await listedUsers(sql, caller, users, level)),
      teams: teams && (await listedTeams(sql, caller, teams)),
    })
  }
  return edits
}

/** Stores edits of lists. */
export async function setLists(tx: Tx, rule: number, edits: ListEdits): Promise<void> {
  for (const { list, users, teams } of edits) {
    if (users) await setListedAccounts(tx, { rule, list }, users)
    if (teams) await setListedTeams(tx, { rule, list }, teams)
  }
}
