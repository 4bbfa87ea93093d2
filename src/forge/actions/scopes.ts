import { signedInFully, siteAdmin } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { repoOwner } from '../repos/access.ts'
import { ofOrganization, ofRepository, ofSite, ofUser, scope } from '../scoped.ts'
import { ownerOf, repoOwnerOf, site } from './owner.ts'

/** The scopes of secrets, variables and runners, and who manages them there. */

export const organization = scope({
  ...ofOrganization,
  access: orgOwner(),
  ownerOf: ({ subject }) => ownerOf(subject),
})

export const repository = scope({
  ...ofRepository,
  access: repoOwner(),
  ownerOf: repoOwnerOf,
})

export const user = scope({
  ...ofUser,
  access: signedInFully(ofUser.category),
  ownerOf: ({ me }) => ownerOf(me),
})

/** The site; `whose` is how summaries call what belongs to it. */
export const siteFor = (whose: string) =>
  scope({ ...ofSite, whose, access: siteAdmin(), ownerOf: () => site })
