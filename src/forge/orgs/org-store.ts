import { type Page, type Paging, pageAmongFirst } from '../../db/page.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { accountsOfPage, pageOfAccounts, pageOfAccountsIn } from '../accounts/account-page-store.ts'
import { type Account, type AccountDraft, insertAccounts } from '../accounts/account-store.ts'
import { accountsLike, hasPrefix, maxHits } from '../accounts/user-list-store.ts'
import type { Visibility } from '../accounts/visibility.ts'
import { OWNER_RIGHTS } from '../permissions/units.ts'
import { matches, type SearchPattern, searchPattern } from '../protocol/search-pattern.ts'
import type { Order } from '../protocol/sorting.ts'
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
 * Creates the team of owners of new organizations, with its first owner, whose membership is private. A deleted owner
 * violates `membership_account_known`.
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

/** Which organizations of a list are shown, and how. */
export interface OrganizationSearch {
  /** A text in the name or the full name; "" filters nothing. */
  q?: string
  /** By name from A to Z, or from Z to A. */
  order?: Order
}

/**
 * All organizations with these visibilities by name, from an index alone. A text of less than three characters is only
 * found at the beginning of names; of a text with more than `maxHits` hits in the search index, only some are found.
 */
export async function pageOfOrganizations(
  sql: Sql,
  visibilities: readonly Visibility[],
  paging: Paging,
  { q = '', order = 'asc' }: OrganizationSearch = {},
): Promise<Page<Account>> {
  const seen = sql`kind = 'organization' and visibility = any(${[...visibilities]}::text[])`
  const search = searchPattern(q)
  const first = search && (await findAmongFirst(sql, seen, paging, search, order))
  if (first) return first
  return pageOfAccounts(sql, paging, {
    from: sql`from forge.account as organization where ${seen} ${search ? isFound(sql, search) : sql``}`,
    keys: sql`id, key`,
    by: byName(sql, order),
  })
}

/** Undefined if there are more organizations and the first by name do not fill the page. */
const findAmongFirst = (sql: Sql, seen: Fragment, paging: Paging, search: SearchPattern, order: Order) =>
  pageAmongFirst<Account>(sql, paging, {
    reads: 5000,
    list: sql`select id, key, full_name from forge.account where ${seen}`,
    matching: search.hasTrigram ? isNamed(sql, search, sql`first`) : hasPrefix(sql, search),
    rows: accountsOfPage(sql),
    by: byName(sql, order),
  })

function isFound(sql: Sql, search: SearchPattern): Fragment {
  if (!search.hasTrigram) return sql`and ${hasPrefix(sql, search)}`
  return sql`
    and id in (select id from ${accountsLike(sql, search, maxHits)} as id)
    and ${isNamed(sql, search)}`
}

/** The search index finds parts of addresses, too, which say nothing to people. */
const isNamed = (sql: Sql, search: SearchPattern, table = sql`organization`) => sql`
  (${table}.key like ${search.pattern} escape '' or ${matches(sql, search, sql`${table}.full_name`)})`

const byName = (sql: Sql, order: Order) => (order === 'desc' ? sql`order by key desc` : sql`order by key`)

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
  { q = '', order = 'asc' }: OrganizationSearch = {},
): Promise<Page<Account>> {
  const search = searchPattern(q)
  return pageOfAccounts(sql, paging, {
    from: sql`
      from forge.membership
      join forge.account as organization on organization.id = membership.organization_id
      where membership.account_id = ${account}
        and organization.visibility = any(${[...visibilities]}::text[])
        ${onlyPublic ? sql`and membership.is_public` : sql``}
        ${search ? sql`and ${isNamed(sql, search)}` : sql``}`,
    keys: sql`organization.id, organization.key`,
    by: byName(sql, order),
  })
}

/** Members of an organization by id; `onlyPublic`: only public memberships. */
export function pageOfMembers(
  sql: Sql,
  { organization, onlyPublic }: { organization: number; onlyPublic: boolean },
  paging: Paging,
): Promise<Page<Account>> {
  const isShown = onlyPublic ? sql`and is_public` : sql``
  const members = sql`forge.membership where organization_id = ${organization} ${isShown}`
  return pageOfAccountsIn(sql, members, paging)
}

/** Members of a team by id. */
export const pageOfTeamMembers = (sql: Sql, team: number, paging: Paging) =>
  pageOfAccountsIn(sql, sql`forge.team_member where team_id = ${team}`, paging)
