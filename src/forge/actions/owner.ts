import { siteScope as everywhere, type Scope } from '../../actions/run/scope.ts'
import type { OnSubject } from '../auth/access.ts'
import type { OnRepository } from '../repos/access.ts'

/** Whose secrets or variables: what jobs in all repositories of an account are given, or those in one repository. */
export interface ActionsOwner {
  /** As the audit trail says it. */
  kind: 'organization' | 'user' | 'repository'
  id: number
  name: string
}

/** Whose variables: those of the site are for jobs of everybody. */
export type ActionsOwnerOrSite = ActionsOwner | typeof everybody

/** Nobody in particular. */
export const everybody = { kind: 'site', name: '' } as const

/** The account that a path is about, or that asks. */
export function ownerOf({ kind, id, name }: OnSubject['subject']): ActionsOwner {
  return { kind: kind === 'organization' ? kind : 'user', id, name }
}

/** The repository that a path is about. */
export function holderIn({ repo, subject }: OnRepository): ActionsOwner {
  return { kind: 'repository', id: repo.id, name: `${subject.name}/${repo.name}` }
}

/** The scope of what somebody holds. */
export function scopeOf(holder: ActionsOwnerOrSite): Scope {
  if (holder.kind === 'site') return everywhere
  return holder.kind === 'repository'
    ? { owner_id: null, repository_id: holder.id }
    : { owner_id: holder.id, repository_id: null }
}
