import * as v from 'valibot'
import { PublicKey } from '../../forge/keys/key.shape.ts'
import { userListKeys } from '../../forge/keys/keys.ts'
import { Organization } from '../../forge/orgs/organization.shape.ts'
import { adminListUserOrgs } from '../../forge/orgs/user-orgs.ts'
import { Badge } from '../../forge/users/badge.shape.ts'
import { adminListUserBadges } from '../../forge/users/badges.ts'
import { pageAt } from './list.ts'
import { type AdministratorOn, read, readPage } from './operation.ts'
import { type UserForms, userPage } from './user-page.ts'

/** The page of a user, with what belongs to the user as operations tell it. */
export async function pageOfUser(caller: AdministratorOn, forms: UserForms): Promise<string> {
  const params = { username: caller.subject.name }
  const first = { params, query: pageAt(1) }
  const [badges, keys, organizations] = await Promise.all([
    read(caller, adminListUserBadges, v.object({ rows: v.array(Badge) }), { params }),
    readPage(caller, userListKeys, PublicKey, first),
    readPage(caller, adminListUserOrgs, Organization, first),
  ])
  return userPage({
    caller,
    badges: badges.rows,
    keys: keys.rows,
    organizations: organizations.rows,
    ...forms,
  })
}
