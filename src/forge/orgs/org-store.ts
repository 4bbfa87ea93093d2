import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type Account, type AccountDraft, insertAccounts } from '../accounts/account.ts'
import { pageOfAccounts } from '../accounts/account-page.ts'
import type { Visibility } from '../accounts/visibility.ts'
import { OWNER_RIGHTS } from '../repos/units.ts'
import { addToOwners } from './membership-store.ts'
import { insertTeams, type TeamDraft } from './team-store.ts'

/**
 * Creates the accounts of organizations, in the order of the drafts; undefined where the name is taken, also by a draft
 * before it. Call `insertFirstOwners` in the same transaction.
 */
export function insertOrganizations(
  tx: Tx,
  drafts: readonly Omit<AccountDraft, 'kind'>[],
): Promise<(Account | undefined)[]> {
  return insertAccounts(
    tx,
    drafts.map((draft) => ({ ...draft, kind: 'organization' })),
  )
}

/**
 * Gives new organizations their team of owners and its first owner, whose membership others do not see. An owner who has
 * gone is refused by `membership_account_known`.
 */
export async function insertFirstOwners(
  tx: Tx,
  owners: readonly { organization: number; account: number }[],
): Promise<void> {
  const organizations = owners.map(({ organization }) => organization)
  await Promise.all([insertTeams(tx, organizations, ownerTeam), addToOwners(tx, owners)])
}

/** The team that each organization begins with. */
const ownerTeam: TeamDraft = {
  ...OWNER_RIGHTS,
  name: 'Owners',
  visibility: 'limited',
  includes_all_repositories: true,
  can_create_repositories: true,
}

/**
 * All organizations with these visibilities by name: the page from an index alone, the total from the stored counts.
 */
export function pageOfOrganizations(
  sql: Sql,
  visibilities: readonly Visibility[],
  paging: Paging,
): Promise<Page<Account>> {
  const seen = sql`kind = 'organization' and visibility = any(${[...visibilities]}::text[])`
  const page = sql`
    select id
    from forge.account
    where ${seen}
    order by key
    limit ${paging.limit}
    offset ${offsetOf(paging)}`
  const total = sql`(select coalesce(sum(accounts), 0)::bigint from forge.account_tally where ${seen})`
  return pageOfAccounts(sql, { page, total, by: sql`order by key` }, paging)
}

/** Selects an account's memberships. */
export interface MembershipFilter {
  account: number
  visibilities: readonly Visibility[]
  /** Public memberships only. */
  onlyPublic: boolean
}

/** The organizations that an account is a member of, by name. */
export function pageOfMemberships(
  sql: Sql,
  { account, visibilities, onlyPublic }: MembershipFilter,
  paging: Paging,
): Promise<Page<Account>> {
  const joined = sql`
    from forge.membership
    join forge.account as organization on organization.id = membership.organization_id
    where membership.account_id = ${account}
      and organization.visibility = any(${[...visibilities]}::text[])
      ${onlyPublic ? sql`and membership.is_public` : sql``}`
  const page = sql`
    select organization.id
    ${joined}
    order by organization.key
    limit ${paging.limit}
    offset ${offsetOf(paging)}`
  return pageOfAccounts(sql, { page, total: sql`(select count(*) ${joined})`, by: sql`order by key` }, paging)
}

/** Members of an organization by id; `onlyPublic`: only public memberships. */
export function pageOfMembers(
  sql: Sql,
  { organization, onlyPublic }: { organization: number; onlyPublic: boolean },
  paging: Paging,
): Promise<Page<Account>> {
  const members = sql`
    from forge.membership
    where organization_id = ${organization}
      ${onlyPublic ? sql`and is_public` : sql``}`
  return pageOfAccounts(sql, peopleIn(sql, members, paging), paging)
}

/** Members of a team by id. */
export function pageOfTeamMembers(sql: Sql, team: number, paging: Paging): Promise<Page<Account>> {
  const members = sql`
    from forge.team_member
    where team_id = ${team}`
  return pageOfAccounts(sql, peopleIn(sql, members, paging), paging)
}

function peopleIn(sql: Sql, members: Fragment, paging: Paging) {
  const page = sql`
    select account_id as id
    ${members}
    order by account_id
    limit ${paging.limit}
    offset ${offsetOf(paging)}`
  return { page, total: sql`(select count(*) ${members})`, by: sql`order by id` }
}
