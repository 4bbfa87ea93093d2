import { type Scope, siteScope } from '../../actions/run/scope.ts'
import { accountTarget, repositoryTarget } from '../admin/audit-trail.ts'
import { isPublicOnly, signedInFully, siteAdmin } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { orgMember, orgOwner } from '../orgs/access.ts'
import { actionsSeen, repoOwner } from '../repos/access.ts'
import { ofOrganization, ofRepository, ofSite, ofUser, type Scope as ScopeOf, scope } from '../scoped.ts'
import type { ListScope } from './list-scope.ts'

/** The scopes of secrets, variables and runners, and who manages them there. */

/** The owner of secrets, variables or runners: an account (for all its repositories) or one repository. */
export type ActionsOwner = ReturnType<typeof accountTarget | typeof repositoryTarget>

/** The same, or the site, whose variables and runners serve all repositories. */
export type ActionsOwnerOrSite = ActionsOwner | typeof site

/** The site as owner. */
export const site = { kind: 'site', name: '' } as const

/** The scope in which an owner's rows are stored. */
export function scopeOf(owner: ActionsOwnerOrSite): Scope {
  if (owner.kind === 'site') return siteScope
  return owner.kind === 'repository'
    ? { owner_id: null, repository_id: owner.id }
    : { owner_id: owner.id, repository_id: null }
}

export const organization = scope({
  ...ofOrganization,
  access: orgOwner(),
  ownerOf: ({ subject }): ActionsOwner => accountTarget(subject),
})

export const repository = scope({
  ...ofRepository,
  access: repoOwner(),
  ownerOf: ({ repo, subject }): ActionsOwner => repositoryTarget(repo, subject),
})

export const user = scope({
  ...ofUser,
  access: signedInFully(ofUser.category),
  ownerOf: ({ me }): ActionsOwner => accountTarget(me),
})

/** The site; `whose` is how summaries call what belongs to it. */
export const siteFor = (whose: string) =>
  scope({ ...ofSite, whose, access: siteAdmin(), ownerOf: () => site })

/** Whose runs and jobs a list shows, and to whom. */
export const listScopes: readonly ScopeOf<ListScope, Caller>[] = [
  scope({
    ...ofSite,
    whose: 'all repositories',
    access: siteAdmin(),
    ownerOf: (): ListScope => 'everything',
  }),
  scope({
    ...ofOrganization,
    whose: 'the repositories of an organization that the caller may see',
    access: orgMember(),
    ownerOf: ({ me, subject, token }): ListScope => ({
      owner: subject.id,
      viewer: me.is_admin ? null : me.id,
      publicOnly: isPublicOnly({ token }),
    }),
  }),
  scope({
    ...ofUser,
    whose: 'the repositories of the user who asks',
    access: signedInFully(ofUser.category),
    ownerOf: ({ me }): ListScope => ({ owner: me.id, viewer: null, publicOnly: false }),
  }),
  scope({
    ...ofRepository,
    whose: 'a repository',
    access: actionsSeen(),
    ownerOf: ({ repo }): ListScope => ({ repository: repo.id }),
  }),
]
