import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { levelIn, teamReads } from '../permissions/access-level-store.ts'
import { type BranchRule, inOrder, type List, type RuleSettings, type StoredRule } from './branch-rules.ts'

/** The only writer of the rules of protected branches. */

/** A rule with the names on its lists: of accounts with access to the repository, and of teams that read its code. */
export interface BranchProtection extends StoredRule {
  usernames: Partial<Record<List, string[]>>
  teams: Partial<Record<List, string[]>>
}

/** The name and the settings of a rule. */
const settings = (sql: Sql) => sql`
  rule_name, priority, enable_push, enable_push_whitelist, push_whitelist_deploy_keys, enable_force_push,
  enable_force_push_allowlist, force_push_allowlist_deploy_keys, enable_merge_whitelist, enable_bypass_allowlist,
  enable_status_check, status_check_contexts, required_approvals, enable_approvals_whitelist,
  block_on_rejected_reviews, block_on_official_review_requests, block_on_outdated_branch, dismiss_stale_approvals,
  ignore_stale_approvals, require_signed_commits, block_admin_merge_override, protected_file_patterns,
  unprotected_file_patterns`

const columns = (sql: Sql) => sql`rule.id, ${settings(sql)}, rule.created_at, rule.updated_at`

/** The rules of a repository with the lists that name an account; undefined: nobody. */
export const branchRulesFor = (sql: Sql, repository: number, account: number | undefined) =>
  allRows(sql<BranchRule[]>`
    select ${columns(sql)}, array(
      select list
      from forge.branch_protection_account
      where protection_id = rule.id and account_id = ${account ?? null}
      union
      select list
      from forge.branch_protection_team
      join forge.team on team.id = branch_protection_team.team_id and team.organization_id = repository.owner_id
      join forge.team_member on team_member.team_id = team.id
      where protection_id = rule.id and team_member.account_id = ${account ?? null}
    ) as listed
    from forge.branch_protection as rule
    join forge.repository on repository.id = rule.repository_id
    where rule.repository_id = ${repository}`)

/** The rules of a repository by precedence. */
export const branchProtections = async (sql: Sql, repository: number) =>
  inOrder(await protectionsWhere(sql, sql`rule.repository_id = ${repository}`))

/** The rule with exactly this name. */
export const branchProtectionNamed = (sql: Sql, repository: number, name: string) =>
  firstRow(protectionsWhere(sql, sql`rule.repository_id = ${repository} and rule.rule_name = ${name}`))

const protectionsWhere = (sql: Sql, condition: Fragment) =>
  allRows(sql<BranchProtection[]>`
    select ${columns(sql)}, ${byList(sql, usernames(sql))} as usernames, ${byList(sql, teamNames(sql))} as teams
    from forge.branch_protection as rule
    join forge.repository on repository.id = rule.repository_id
    where ${condition}`)

const byList = (sql: Sql, entries: Fragment) => sql`coalesce((
  select json_object_agg(list, names)
  from (
    select list, json_agg(name order by name) as names
    from (${entries}) as entry
    group by list
  ) as named
), '{}')`

const usernames = (sql: Sql) => sql`
  select list, account.name
  from forge.branch_protection_account
  join forge.account on account.id = account_id
  where protection_id = rule.id and ${levelIn(sql, sql`account.id`, 'repo.code')} > 0`

const teamNames = (sql: Sql) => sql`
  select list, team.name
  from forge.branch_protection_team
  join forge.team on team.id = team_id
  where protection_id = rule.id and team.organization_id = repository.owner_id and ${teamReads(sql, 'repo.code')}`

/** Creates a rule. A taken name violates `branch_protection_rule_name_unique`. */
export const insertBranchProtection = (
  tx: Tx,
  repository: number,
  draft: RuleSettings & { rule_name: string },
) =>
  onlyRow(tx<[{ id: number }]>`
    insert into forge.branch_protection ${tx({ ...draft, repository_id: repository, created_at: tx.now, updated_at: tx.now })}
    returning id`)

/** The priority of a new rule behind all others of a repository. */
export async function nextPriority(tx: Tx, repository: number): Promise<number> {
  const { next } = await onlyRow(tx<[{ next: number }]>`
    select coalesce(max(priority), 0) + 1 as next
    from forge.branch_protection
    where repository_id = ${repository}`)
  return next
}

export async function updateBranchProtection(tx: Tx, id: number, edit: Partial<RuleSettings>): Promise<void> {
  await tx`
    update forge.branch_protection
    set ${tx({ ...edit, updated_at: tx.now })}
    where id = ${id}`
}

/** False: there is no rule with exactly this name. */
export const deleteBranchProtection = (tx: Tx, repository: number, name: string) =>
  anyRow(tx`
    delete from forge.branch_protection
    where repository_id = ${repository} and rule_name = ${name}`)

/** Gives the rules of these ids the priorities 1, 2, 3 …; ids of other repositories keep theirs. */
export async function orderBranchProtections(
  tx: Tx,
  repository: number,
  ids: readonly number[],
): Promise<void> {
  await tx`
    update forge.branch_protection as rule
    set priority = target.priority, updated_at = ${tx.now}
    from (
      select id, max(priority) as priority
      from unnest(${[...ids]}::bigint[]) with ordinality as input (id, priority)
      group by id
    ) as target
    where rule.id = target.id and rule.repository_id = ${repository}`
}

/**
 * Gives the rule with exactly the name of a branch another name. A rule that has that name already violates
 * `branch_protection_rule_name_unique`. False: there is no such rule.
 */
export const renameBranchProtection = (
  tx: Tx,
  repository: number,
  { from, to }: { from: string; to: string },
) =>
  anyRow(tx`
    update forge.branch_protection
    set rule_name = ${to}, updated_at = ${tx.now}
    where repository_id = ${repository} and rule_name = ${from}`)

/** Replaces the accounts on a list of a rule. */
export async function setListedAccounts(
  tx: Tx,
  { rule, list }: { rule: number; list: List },
  accounts: readonly number[],
): Promise<void> {
  await tx`
    delete from forge.branch_protection_account
    where protection_id = ${rule} and list = ${list}`
  await tx`
    insert into forge.branch_protection_account (protection_id, list, account_id)
    select ${rule}, ${list}, unnest(${[...accounts]}::bigint[])`
}

/** Replaces the teams on a list of a rule. */
export async function setListedTeams(
  tx: Tx,
  { rule, list }: { rule: number; list: List },
  teams: readonly number[],
): Promise<void> {
  await tx`
    delete from forge.branch_protection_team
    where protection_id = ${rule} and list = ${list}`
  await tx`
    insert into forge.branch_protection_team (protection_id, list, team_id)
    select ${rule}, ${list}, unnest(${[...teams]}::bigint[])`
}

/** Copies the rules of a repository to another one, with their lists. */
export async function copyBranchProtections(
  tx: Tx,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx`
    insert into forge.branch_protection (repository_id, ${settings(tx)}, created_at, updated_at)
    select ${to}, ${settings(tx)}, ${tx.now}, ${tx.now}
    from forge.branch_protection
    where repository_id = ${from}
    order by id`
  const copied = tx`
    from forge.branch_protection as rule
    join forge.branch_protection as copy on copy.repository_id = ${to} and copy.rule_name = rule.rule_name`
  await tx`
    insert into forge.branch_protection_account (protection_id, list, account_id)
    select copy.id, list, account_id
    ${copied}
    join forge.branch_protection_account on protection_id = rule.id
    join forge.account on account.id = account_id
    where rule.repository_id = ${from}
    for key share of account`
  await tx`
    insert into forge.branch_protection_team (protection_id, list, team_id)
    select copy.id, list, team_id
    ${copied}
    join forge.branch_protection_team on protection_id = rule.id
    join forge.team on team.id = team_id
    where rule.repository_id = ${from}
    for key share of team`
}
