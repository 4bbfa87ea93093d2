import { type Scope, siteScope } from '../../actions/run/scope.ts'
import type { OnSubject } from '../auth/access.ts'
import type { OnRepository } from '../repos/access.ts'

/** The owner of secrets, variables or runners: an account (for all its repositories) or one repository. */
export interface ActionsOwner {
  /** The kind of target in the audit log. */
  kind: 'organization' | 'user' | 'repository'
  id: number
  name: string
}

/** The same, or the site, whose variables and runners serve all repositories. */
export type ActionsOwnerOrSite = ActionsOwner | typeof site

/** The site as owner. */
export const site = { kind: 'site', name: '' } as const

/** The account that the path names, or the signed-in one. */
export function ownerOf({ kind, id, name }: OnSubject['subject']): ActionsOwner {
  return { kind: kind === 'organization' ? kind : 'user', id, name }
}

/** The repository that the path names. */
export function repoOwnerOf({ repo, subject }: OnRepository): ActionsOwner {
  return { kind: 'repository', id: repo.id, name: `${subject.name}/${repo.name}` }
}

/** The scope in which an owner's rows are stored. */
export function scopeOf(owner: ActionsOwnerOrSite): Scope {
  if (owner.kind === 'site') return siteScope
  return owner.kind === 'repository'
    ? { owner_id: null, repository_id: owner.id }
    : { owner_id: owner.id, repository_id: null }
}
