import * as v from 'valibot'
import { mapPage, type Page } from '../../db/page.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { avatarUrl } from '../accounts/avatar.ts'
import { VISIBILITIES } from '../accounts/visibility.ts'

/** Organization of the specification, with its members in the order in which they are sent. */
export const Organization = shape('Organization', {
  id: int,
  name: v.string(),
  full_name: v.string(),
  email: described(v.string(), 'An address to write to; empty: none'),
  avatar_url: v.string(),
  description: v.string(),
  website: v.string(),
  location: v.string(),
  visibility: described(
    v.picklist(VISIBILITIES),
    'Who sees it: everybody, everybody who is signed in (`limited`), or members',
  ),
  repo_admin_change_team_access: v.boolean(),
  username: described(v.string(), 'The same as `name`'),
})
export type Organization = v.InferOutput<typeof Organization>

/** The columns of an account that an organization is printed from. */
export type OrganizationFields = Pick<
  Account,
  | 'id'
  | 'name'
  | 'full_name'
  | 'email'
  | 'description'
  | 'website'
  | 'location'
  | 'visibility'
  | 'repo_admin_change_team_access'
  | 'avatar'
>

/** An organization as it is sent; `host` is the root of links (`from.host`). */
export function printOrganization(organization: OrganizationFields, host: string): Organization {
  return {
    id: organization.id,
    name: organization.name,
    full_name: organization.full_name,
    email: organization.email,
    avatar_url: avatarUrl(host, organization.name, organization.avatar),
    description: organization.description,
    website: organization.website,
    location: organization.location,
    visibility: organization.visibility,
    repo_admin_change_team_access: organization.repo_admin_change_team_access,
    username: organization.name,
  }
}

/** A page of organizations as it is sent. */
export const printOrganizations = (page: Page<OrganizationFields>, host: string): Page<Organization> =>
  mapPage(page, (row) => printOrganization(row, host))

/** The permissions of a user in an organization, through the best of its teams. */
export const OrganizationPermissions = shape('OrganizationPermissions', {
  is_owner: v.boolean(),
  is_admin: v.boolean(),
  can_write: described(v.boolean(), 'Whether a team of the user may write to some repository'),
  can_read: described(v.boolean(), 'Whether the user may see the organization'),
  can_create_repository: v.boolean(),
})
