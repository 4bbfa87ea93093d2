import { type Page, type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import type { Visibility } from '../accounts/visibility.ts'
import { hasRepository } from '../permissions/access-level-store.ts'
import type { Permission, Rights, UnitsMap } from '../permissions/units.ts'
import { withoutNul } from '../protocol/search-pattern.ts'
import type { OrganizationFields } from './organization.shape.ts'

/** A stored team. */
export interface Team {
  id: number
  organization_id: number
  name: string
  description: string
  permission: Permission
  visibility: Visibility
  includes_all_repositories: boolean
  can_create_repositories: boolean
  units: UnitsMap
}

/** A team with its organization, as replies show it. */
export type TeamWithOrganization = Team & { organization: OrganizationFields }

/** The initial values of a team; the rest has defaults. */
export interface TeamDraft extends Rights {
  name: string
  description?: string
  visibility?: Visibility
  includes_all_repositories?: boolean
  can_create_repositories?: boolean
}

/** A team as the target of an event. */
export const teamTarget = ({ id, name }: Team) => ({ kind: 'team', id, name })

const columns = (sql: Sql) => sql`
  team.id, team.organization_id, team.name, team.description, team.permission, team.visibility,
  team.includes_all_repositories, team.can_create_repositories, team.units`

/** `organization` as one JSON value, because its columns have the same names as the team's. */
const withOrganization = (sql: Sql) => sql`
  ${columns(sql)},
  json_build_object(
    'id', account.id, 'name', account.name, 'full_name', account.full_name, 'email', account.email,
    'description', account.description, 'website', account.website, 'location', account.location,
    'visibility', account.visibility, 'repo_admin_change_team_access', account.repo_admin_change_team_access,
    'avatar', account.avatar
  ) as organization`

/** Creates a team without members. A name that the organization uses already violates `team_name_unique`. */
export async function insertTeam(tx: Tx, organization: number, draft: TeamDraft): Promise<Team> {
  const [team] = await insertTeams(tx, [organization], draft)
  if (!team) throw new Error('The statement returned no team')
  return team
}

/** Creates the same team in several organizations. */
export const insertTeams = (tx: Tx, organizations: readonly number[], draft: TeamDraft) =>
  allRows(tx<Team[]>`
    insert into forge.team
      (organization_id, name, description, permission, visibility, includes_all_repositories,
       can_create_repositories, units, created_at)
    select organization_id, ${draft.name}, ${draft.description ?? ''}, ${draft.permission},
      ${draft.visibility ?? 'private'}, ${draft.includes_all_repositories ?? false},
      ${draft.can_create_repositories ?? false}, ${JSON.stringify(draft.units)}::text::jsonb, ${tx.now}
    from unnest(${[...organizations]}::bigint[]) as organization_id
    returning ${columns(tx)}`)

/** Stores all mutable columns of a team; undefined when it was deleted. */
export const updateTeam = (tx: Tx, team: Omit<Team, 'organization_id'>) =>
  firstRow(tx<Team[]>`
    update forge.team
    set name = ${team.name}, description = ${team.description}, permission = ${team.permission},
      visibility = ${team.visibility}, includes_all_repositories = ${team.includes_all_repositories},
      can_create_repositories = ${team.can_create_repositories}, units = ${JSON.stringify(team.units)}::text::jsonb
    where id = ${team.id}
    returning ${columns(tx)}`)

/**
 * Deletes a team. Call `removeAllFromTeam` first; otherwise its members stay members of the organization without a
 * team.
 */
export async function deleteTeam(tx: Tx, id: number): Promise<void> {
  await tx`
    delete from forge.team
    where id = ${id}`
}

/** Locks the team until the transaction ends and returns it. */
export const lockTeam = (tx: Tx, id: number) =>
  firstRow(tx<Team[]>`
    select ${columns(tx)}
    from forge.team
    where id = ${id}
    for update`)

export const teamById = (sql: Sql, id: number) => teamWhere(sql, sql`team.id = ${id}`)

/** Teams by their ids, in any order. */
export const teamsByIds = (sql: Sql, ids: readonly number[]) =>
  teamsWhere(sql, sql`team.id = any(${[...ids]}::bigint[])`)

/** The team with that name in an organization. */
export const teamByName = (sql: Sql, organization: number, name: string) =>
  teamWhere(sql, sql`team.organization_id = ${organization} and team.key = ${withoutNul(name).toLowerCase()}`)

const teamWhere = async (sql: Sql, condition: Fragment) => (await teamsWhere(sql, condition))[0]

const teamsWhere = (sql: Sql, condition: Fragment) =>
  allRows(sql<TeamWithOrganization[]>`
    select ${withOrganization(sql)}
    from forge.team
    join forge.account as account on account.id = team.organization_id
    where ${condition}`)

/** The team with that name in an organization, if the account may see it. */
export const teamSeenBy = (sql: Sql, account: number, organization: number, name: string) =>
  firstRow(sql<{ id: number }[]>`
    select team.id
    from forge.team
    where team.organization_id = ${organization} and team.key = ${withoutNul(name).toLowerCase()}
      and ${isSeenBy(sql, account)}`)

/** Whether an account may see a team. */
export const isTeamSeenBy = (sql: Sql, account: number, team: number) =>
  anyRow(sql`
    select from forge.team
    where team.id = ${team} and ${isSeenBy(sql, account)}`)

/**
 * Whether an account may see a `team`: members of the organization see its teams that are not private and their own teams;
 * owners see all.
 */
const isSeenBy = (sql: Sql, account: number) => sql`exists (
  select from forge.team_member
  join forge.team as joined on joined.id = team_member.team_id
  where team_member.organization_id = team.organization_id and team_member.account_id = ${account}
    and (team.visibility <> 'private' or joined.id = team.id or joined.permission = 'owner')
)`

/** Which teams of an organization are listed. */
export interface TeamFilter {
  organization: number
  /** The requesting account; private teams are shown to their members only. */
  viewer: number
  /** Shows private teams too, for owners and administrators. */
  seesAll: boolean
  /** Matches names that contain it, and descriptions if `inDescription`; "" matches all. */
  q: string
  inDescription: boolean
  /** Only teams that have this repository of the organization. */
  repository?: number
  /** Only this team. */
  only?: number
}

/** Teams of an organization by name, read through `team_name_unique`, no more than the page needs. */
export function pageOfTeams(
  sql: Sql,
  filter: TeamFilter,
  paging: Paging,
): Promise<Page<TeamWithOrganization>> {
  const needle = filter.q.trim().toLowerCase()
  return pageFrom(
    sql,
    sql`
      from forge.team
      where organization_id = ${filter.organization}
        ${filter.seesAll ? sql`` : sql`and (visibility <> 'private' or ${isIn(sql, filter.viewer)})`}
        ${needle === '' ? sql`` : sql`and ${isNamed(sql, needle, filter.inDescription)}`}
        ${filter.repository === undefined ? sql`` : sql`and ${hasThat(sql, filter.repository)}`}
        ${filter.only === undefined ? sql`` : sql`and team.id = ${filter.only}`}`,
    sql`order by key, id`,
    paging,
  )
}

/** The teams of an account by id; `onlyPublic`: only those of public organizations. */
export function pageOfTeamsOf(
  sql: Sql,
  { account, onlyPublic }: { account: number; onlyPublic: boolean },
  paging: Paging,
): Promise<Page<TeamWithOrganization>> {
  const isOpen = sql`
    and exists (select from forge.account where id = team.organization_id and visibility = 'public')`
  return pageFrom(
    sql,
    sql`
      from forge.team
      where id in (select team_id from forge.team_member where account_id = ${account})
        ${onlyPublic ? isOpen : sql``}`,
    sql`order by id`,
    paging,
  )
}

const hasThat = (sql: Sql, repository: number) => sql`
  exists (select from forge.repository where id = ${repository} and ${hasRepository(sql)})`

const isIn = (sql: Sql, account: number) => sql`
  exists (select from forge.team_member where team_id = team.id and account_id = ${account})`

const isNamed = (sql: Sql, needle: string, inDescription: boolean) => sql`
  (strpos(key, ${needle}) > 0
    ${inDescription ? sql`or strpos(lower(description), ${needle}) > 0` : sql``})`

const pageFrom = (sql: Sql, from: Fragment, by: Fragment, paging: Paging) =>
  pageOf<TeamWithOrganization>(sql, paging, {
    from,
    keys: sql`id`,
    rows: sql`
      select ${withOrganization(sql)}, team.key
      from page
      join forge.team using (id)
      join forge.account as account on account.id = team.organization_id`,
    by,
  })
