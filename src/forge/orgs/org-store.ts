import type { Page, Paging } from '../../db/page.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { type Account, type AccountDraft, insertAccounts } from '../accounts/account.ts'
import { pageOfAccounts, pageOfAccountsIn } from '../accounts/account-page.ts'
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
 * Gives new organizations their team of owners and its first owner, whose membership others do not see. An owner who
 * has gone is refused by `membership_account_known`.
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
  return pageOfAccounts(sql, paging, {
    total: sql`select coalesce(sum(accounts), 0)::bigint from forge.account_tally where ${seen}`,
    from: sql`from forge.account where ${seen}`,
    keys: sql`id`,
    by: sql`order by key`,
  })
}

/** Selects an account's memberships. */
export interface MembershipFilter {
  account: number
  visibilities: readonly Visibility[]
  /** Public memberships only. */
  onlyPublic: boolean
}

/** The organizations that an account is a member of, by name. */
export const pageOfMemberships = (
  sql: Sql,
  { account, visibilities, onlyPublic }: MembershipFilter,
  paging: Paging,
) =>
  pageOfAccounts(sql, paging, {
    from: sql`
      from forge.membership
      join forge.account as organization on organization.id = membership.organization_id
      where membership.account_id = ${account}
        and organization.visibility = any(${[...visibilities]}::text[])
        ${onlyPublic ? sql`and membership.is_public` : sql``}`,
    keys: sql`organization.id, organization.key`,
    by: sql`order by key`,
  })

/** Members of an organization by id; `onlyPublic`: only public memberships. */
export function pageOfMembers(
  sql: Sql,
  { organization, onlyPublic }: { organization: number; onlyPublic: boolean },
  paging: Paging,
): Promise<Page<Account>> {
  const isShown = onlyPublic ? sql`and is_public` : sql``
  return pageOfAccountsIn(
    sql,
    sql`forge.membership where organization_id = ${organization} ${isShown}`,
    paging,
  )
}

/** Members of a team by id. */
export const pageOfTeamMembers = (sql: Sql, team: number, paging: Paging) =>
  pageOfAccountsIn(sql, sql`forge.team_member where team_id = ${team}`, paging)
