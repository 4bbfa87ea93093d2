import { type Scope, siteScope } from '../../actions/secrets/scope-store.ts'
import { accountTarget, repositoryTarget } from '../audit/audit-trail.ts'
import { extendCaller, isPublicOnly, type SignedIn, signedInFully, siteAdmin } from '../auth/access.ts'
import { orgMember, orgOwner } from '../auth/org-access.ts'
import { actionsSeen, repoOwner } from '../repos/access.ts'

/** The scopes of secrets, variables and runners, and who manages them there. */

/** The owner of secrets, variables or runners: an account (for all its repositories) or one repository. */
type ActionsOwner = ReturnType<typeof accountTarget | typeof repositoryTarget>

/** The same, or the site, whose variables and runners serve all repositories. */
export type ActionsOwnerOrSite = ActionsOwner | typeof site

/** The site as owner. */
export const site = { kind: 'site', name: '' } as const

/** The caller of an operation on secrets, variables or runners of one owner. */
export type OnOwner<Owner = ActionsOwner> = SignedIn & { owner: Owner }

/** The scope in which an owner's rows are stored. */
export function scopeOf(owner: ActionsOwnerOrSite): Scope {
  if (owner.kind === 'site') return siteScope
  return owner.kind === 'repository'
    ? { owner_id: null, repository_id: owner.id }
    : { owner_id: owner.id, repository_id: null }
}

export const ownedByOrganization = extendCaller(orgOwner(), ({ subject }) => ({
  owner: accountTarget(subject),
}))

export const ownedByRepository = extendCaller(repoOwner(), ({ repo, subject }) => ({
  owner: repositoryTarget(repo, subject),
}))

export const ownedByUser = extendCaller(signedInFully('user'), ({ me }) => ({ owner: accountTarget(me) }))

export const ownedBySite = extendCaller(siteAdmin(), () => ({ owner: site }))

/** The repositories whose runs and jobs a list shows. */
export const everywhere = extendCaller(siteAdmin(), () => ({ scope: 'everything' as const }))

export const inOrganization = extendCaller(orgMember(), ({ me, subject, token }) => ({
  scope: { owner: subject.id, viewer: me.is_admin ? null : me.id, publicOnly: isPublicOnly({ token }) },
}))

export const ofUser = extendCaller(signedInFully('user'), ({ me }) => ({
  scope: { owner: me.id, viewer: null, publicOnly: false },
}))

export const inRepository = extendCaller(actionsSeen(), ({ repo }) => ({ scope: { repository: repo.id } }))
