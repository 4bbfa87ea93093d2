import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { levelIn, teamReads } from '../permissions/access-level-store.ts'
import type { TagRule } from './tag-rules.ts'

/** The only writer of the rules of protected tags. */

/** A rule with the names on its lists: of accounts with access to the repository, and of teams that read its code. */
export interface TagProtection {
  id: number
  name_pattern: string
  whitelist_usernames: string[]
  whitelist_teams: string[]
  created_at: string
  updated_at: string
}

/** The rules of a repository, and whether they list an account. */
export const tagRulesFor = (sql: Sql, repository: number, account: number) =>
  allRows(sql<TagRule[]>`
    select rule.name_pattern, (
      exists (
        select from forge.tag_protection_account
        where protection_id = rule.id and account_id = ${account}
      )
      or exists (
        select from forge.tag_protection_team
        join forge.team on team.id = tag_protection_team.team_id and team.organization_id = repository.owner_id
        join forge.team_member on team_member.team_id = team.id
        where protection_id = rule.id and team_member.account_id = ${account}
      )
    ) as is_listed
    from forge.tag_protection as rule
    join forge.repository on repository.id = rule.repository_id
    where rule.repository_id = ${repository}`)

export const tagProtections = (sql: Sql, repository: number) =>
  protectionsWhere(sql, sql`rule.repository_id = ${repository}`)

export const tagProtectionById = (sql: Sql, repository: number, id: number) =>
  firstRow(protectionsWhere(sql, sql`rule.repository_id = ${repository} and rule.id = ${id}`))

const protectionsWhere = (sql: Sql, condition: Fragment) =>
  allRows(sql<TagProtection[]>`
    select rule.id, rule.name_pattern, rule.created_at, rule.updated_at,
      array(
        select account.name
        from forge.tag_protection_account
        join forge.account on account.id = account_id
        where protection_id = rule.id and ${levelIn(sql, sql`account.id`, 'repo.code')} > 0
        order by account.name
      ) as whitelist_usernames,
      array(
        select team.name
        from forge.tag_protection_team
        join forge.team on team.id = team_id
        where protection_id = rule.id and team.organization_id = repository.owner_id
          and ${teamReads(sql, 'repo.code')}
        order by team.name
      ) as whitelist_teams
    from forge.tag_protection as rule
    join forge.repository on repository.id = rule.repository_id
    where ${condition}
    order by rule.id`)

/** A pattern that the repository has already violates `tag_protection_name_pattern_unique`. */
export const insertTagProtection = (tx: Tx, repository: number, pattern: string) =>
  onlyRow(tx<[{ id: number }]>`
    insert into forge.tag_protection (repository_id, name_pattern, created_at, updated_at)
    values (${repository}, ${pattern}, ${tx.now}, ${tx.now})
    returning id`)

/** A pattern that another rule of the repository has violates `tag_protection_name_pattern_unique`. */
export async function updateTagProtection(tx: Tx, id: number, pattern: string): Promise<void> {
  await tx`
    update forge.tag_protection
    set name_pattern = ${pattern}, updated_at = ${tx.now}
    where id = ${id}`
}

export async function deleteTagProtection(tx: Tx, id: number): Promise<void> {
  await tx`
    delete from forge.tag_protection
    where id = ${id}`
}

/** Replaces the accounts on the list of a rule. */
export async function setTagAccounts(tx: Tx, rule: number, accounts: readonly number[]): Promise<void> {
  await tx`
    delete from forge.tag_protection_account
    where protection_id = ${rule}`
  await tx`
    insert into forge.tag_protection_account (protection_id, account_id)
    select ${rule}, unnest(${[...accounts]}::bigint[])`
}

/** Replaces the teams on the list of a rule. */
export async function setTagTeams(tx: Tx, rule: number, teams: readonly number[]): Promise<void> {
  await tx`
    delete from forge.tag_protection_team
    where protection_id = ${rule}`
  await tx`
    insert into forge.tag_protection_team (protection_id, team_id)
    select ${rule}, unnest(${[...teams]}::bigint[])`
}
