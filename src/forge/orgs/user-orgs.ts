import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found } from '../../http/route/problem.ts'
import { json } from '../../http/route/sends.ts'
import { accountByName } from '../accounts/account-store.ts'
import { VISIBILITIES } from '../accounts/visibility.ts'
import { isPublicOnly, maySee, signedIn, siteAdminOn, visibleInLists } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { signedInUserSeen, userSeen } from '../auth/user-access.ts'
import { PERMISSIONS, type Permission } from '../permissions/units.ts'
import { type ForgeContext, route } from '../route.ts'
import { membershipOf, permissionsOfTeams } from './membership-store.ts'
import { type MembershipFilter, pageOfMemberships } from './org-store.ts'
import { Organization, OrganizationPermissions, printOrganizations } from './organization.shape.ts'

const listing = pagesOf(Organization)

export const orgListCurrentUserOrgs = route('GET /user/orgs', {
  ...listing,
  summary: 'Organizations that the caller is a member of, by name',
  access: signedIn('user', 'organization'),
  handler: (context) => printedPage(context, visibleMemberships(context.caller.me.id, context.caller)),
})

export const orgListUserOrgs = route('GET /users/{username}/orgs', {
  ...listing,
  summary: 'Organizations that a user is a member of, as far as the caller may know',
  access: userSeen('user', 'organization'),
  handler: (context) => printedPage(context, visibleMemberships(context.caller.subject.id, context.caller)),
})

export const adminListUserOrgs = route('GET /admin/users/{username}/orgs', {
  extension: true,
  ...listing,
  summary: 'All organizations that a user is a member of, by name',
  access: siteAdminOn(),
  handler: (context) =>
    printedPage(context, {
      account: context.caller.subject.id,
      visibilities: VISIBILITIES,
      onlyPublic: false,
    }),
})

export const orgGetUserPermissions = route('GET /users/{username}/orgs/{org}/permissions', {
  summary: 'What a user may do in an organization',
  access: signedInUserSeen('user', 'organization'),
  returns: json(200, OrganizationPermissions),
  handler: async ({ params, caller, sql }) => {
    const { me, subject } = caller
    const organization = found(await accountByName(sql, params.org))
    const is_member = (await membershipOf(sql, organization.id, me.id)) !== undefined
    const isVisible = organization.kind === 'organization' && maySee(organization, { me, is_member })
    if (!isVisible || (isPublicOnly(caller) && organization.visibility !== 'public')) found(undefined)
    // The permissions reveal whether the user is a member, which others may only see for public memberships.
    if (!me.is_admin && !is_member && me.id !== subject.id) throw forbidden('Must be an organization member')
    return permissionsIn(sql, organization.id, subject.id)
  },
})

async function printedPage(
  { query, sql, from }: ForgeContext<Caller, { query: Paging }>,
  filter: MembershipFilter,
): Promise<Page<Organization>> {
  return printOrganizations(await pageOfMemberships(sql, filter, query), from.host)
}

/**
 * The memberships of an account that a caller may see: of other users only the public ones, in visible organizations.
 */
function visibleMemberships(account: number, caller: Caller): MembershipFilter {
  const { me } = caller
  const seesPrivate = me !== undefined && (me.is_admin || me.id === account)
  if (!seesPrivate) return { account, visibilities: visibleInLists(caller), onlyPublic: true }
  return { account, visibilities: isPublicOnly(caller) ? ['public'] : VISIBILITIES, onlyPublic: false }
}

async function permissionsIn(sql: Sql, organization: number, account: number) {
  const teams = await permissionsOfTeams(sql, organization, account)
  const best = Math.max(0, ...teams.map(({ permission }) => PERMISSIONS.indexOf(permission)))
  const reaches = (level: Permission) => best >= PERMISSIONS.indexOf(level)
  return {
    is_owner: reaches('owner'),
    is_admin: reaches('admin'),
    can_write: reaches('write'),
    can_read: reaches('read'),
    can_create_repository: reaches('owner') || teams.some((team) => team.can_create_repositories),
  }
}
