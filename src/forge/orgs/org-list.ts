import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import type { Account } from '../accounts/account-store.ts'
import { isPublicOnly, visibleInLists } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { type OrganizationSearch, pageOfMemberships, pageOfOrganizations } from './org-store.ts'

/**
 * A page of the organizations that a list shows to a caller, by name. A restricted user only finds those that it is a
 * member of.
 */
export function pageOfOrganizationsSeen(
  sql: Sql,
  caller: Pick<Caller, 'me' | 'token'>,
  paging: Paging,
  search: OrganizationSearch = {},
): Promise<Page<Account>> {
  const { me } = caller
  if (!me?.is_restricted || me.is_admin)
    return pageOfOrganizations(sql, visibleInLists(caller), paging, search)
  const visibilities = isPublicOnly(caller) ? (['public'] as const) : (['public', 'limited'] as const)
  return pageOfMemberships(sql, { account: me.id, visibilities, onlyPublic: false }, paging, search)
}
